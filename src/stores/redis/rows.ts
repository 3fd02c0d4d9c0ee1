import type { RecordStore, SomeRecord, StoredRecord } from '../record-store.js';
import { type Runner, textOf, unexpected } from './runner.js';
import { LOOK } from './scripts.js';

/** How many rows are read at once: each may have a large letter. */
const CHUNK = 100;

/** The value of a key. `scripts.ts` says what each field is. */
export interface Row extends Omit<StoredRecord, 'state' | 'attempts' | keyof SomeRecord> {
  readonly state: 'lease' | 'done' | 'failed' | 'dead';
  readonly record?: SomeRecord;
  readonly attempts?: number;
  readonly firstFailedAt?: number;
  readonly letter?: string;
  /** Whether the lease of its run has ended. */
  readonly isOver: boolean;
}

/** Reads the rows of keys that have one. */
export async function readRows(runner: Runner, keys: readonly string[]): Promise<Map<string, Row>> {
  const rows = new Map<string, Row>();
  for (let start = 0; start < keys.length; start += CHUNK) {
    const some = keys.slice(start, start + CHUNK);
    const answers = await runner.apart(LOOK, some);
    for (const [at, key] of some.entries()) {
      const text = textOf(answers[at]);
      if (text === 'none') continue;
      if (!/^[=~]/.test(text)) throw unexpected();
      rows.set(key, { ...(JSON.parse(text.slice(1)) as Row), isOver: text.startsWith('~') });
    }
  }
  return rows;
}

const STATES = { done: 'handled', failed: 'failed', dead: 'dead-lettered' } as const;

function recordOf({ state, record, isOver, attempts = 0, ...row }: Row): StoredRecord {
  const { code, message, lastFailedAt, claimedAt, doneAt } = row;
  const known = { ...record, attempts, code, message, lastFailedAt, claimedAt, doneAt };
  if (state === 'lease') return { ...known, state: isOver ? 'abandoned' : 'in-progress' };
  return { ...known, state: state === 'done' && doneAt === undefined ? 'discarded' : STATES[state] };
}

/** Finds no event ids: Redis would have to read all keys. */
export function redisRecords(runner: Runner): RecordStore {
  return {
    look: async (keys) => new Map([...(await readRows(runner, keys))].map(([key, row]) => [key, recordOf(row)])),
  };
}
