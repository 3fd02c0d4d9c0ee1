import { type Defect, planted } from './defect.js';

const DEAD_LETTERS = 'src/handle/count-failures.ts';
const MEMORY = 'src/stores/memory.ts';

/** Mutations of dead letters. */
export const letterDefects: readonly Defect[] = [
  // An event that failed is acknowledged before it has failed often enough.
  planted('any failure is a dead letter', ['memory-letters', 'transactional-letters'], 100, {
    [DEAD_LETTERS]: { 'if (!failed?.isDead) return false;': '' },
  }),
  // A failure of a key that another run has, or that took effect, makes a dead letter.
  planted('a letter beside a record', ['memory-letters'], 3000, {
    [MEMORY]: { 'failure.isUnknown || row.isDone || isHeld(row)': 'failure.isUnknown' },
  }),
  // The effect of a retry leaves its letter.
  planted('a retried letter stays', ['memory-letters'], 100, {
    [MEMORY]: { 'row.owner = row.letter = row.log =': 'row.owner = row.log =' },
  }),
  // A retry takes its key as a delivery does.
  planted('a retry is a duplicate', ['memory-letters', 'leased-letters', 'transactional-letters'], 50, {
    'src/handle/once.ts': { 'if (about.retryOf !== undefined) return RETRY;': '' },
  }),
  // A retry that found the letter elsewhere counts as handled.
  planted('a skipped retry is handled', ['transactional-letters'], 200, {
    'src/receiver/dead-letters.ts': {
      "if (status === 'handled') return": "if (status !== 'failed') return",
      'return { idempotencyKey, status };': "return { idempotencyKey, status: 'handled' };",
    },
  }),
  // An event is acknowledged although the store did not count its failure.
  planted('a letter that was not written is acknowledged', ['leased-letters', 'transactional-letters'], 600, {
    [DEAD_LETTERS]: { 'afterwards.report(why, { item, idempotencyKey });\n      return false;': 'return true;' },
  }),
];
