import { type Defect, planted } from './defect.js';

const ONCE = 'src/handle/once.ts';
const LEASED = 'src/stores/leased-store.ts';
const MEMORY = 'src/stores/memory.ts';
const RECORDER = 'src/stores/recorder.ts';

/** Defects of the lease stores and of the store in memory. */
export const leaseDefects: readonly Defect[] = [
  // The record of an effect has no time limit: one lost answer blocks its key for ever.
  planted('a record that never settles', ['leased'], 15_000, {
    [RECORDER]: {
      'const timer = setTimeout(() => again(late()), timeoutMs);': 'const timer = undefined;',
      'const inTime = <T>(work: Promise<T>) => withDeadline(work, timeoutMs, late);':
        'const inTime = <T>(work: Promise<T>) => work;',
    },
  }),
  // The record of an effect is given up after its first failure.
  planted('records are not retried', ['leased'], 700, {
    [RECORDER]: { 'if (now > giveUpAt) finish(': 'finish(' },
  }),
  // The store says `handled` although another run has taken over the key.
  planted('a lost record is acknowledged', ['leased'], 2000, {
    [ONCE]: { 'if (claimed.some((key) => recorded.get(key) !== true))': 'if (false)' },
    [RECORDER]: { "keys.has(key) ? undefined : Promise.reject(new Error('Taken over.'))": 'undefined' },
  }),
  // A claim whose answer came too late is not released.
  planted('a late claim is kept', ['leased'], 20, {
    [LEASED]: {
      'const released = claiming.then(free, free).catch(ignore);': 'const released = Promise.resolve();',
    },
  }),
  // The key of a run that failed is not released.
  planted('a failed run keeps its key', ['leased'], 20, {
    [ONCE]: { 'await store.release(claimed, owner).catch(() => {});': '' },
  }),
  // The keys are recorded before the handler runs.
  planted('the record comes before the run', ['leased'], 20, {
    [ONCE]: {
      'await run(fresh, undefined);': 'await store.record(claimed, owner, step); await run(fresh, undefined);',
    },
  }),
  // A key that another run holds counts as claimed.
  planted('an unknown claim runs', ['leased'], 20, {
    [ONCE]: {
      'if (isClaimed) fresh.set(key, answer);': "if (answer !== 'duplicate') fresh.set(key, answer as Claimed);",
    },
  }),
  // A key that another run holds is acknowledged.
  planted('a held key is a duplicate', ['leased'], 20, {
    [LEASED]: { 'answers.set(key, claim);': "answers.set(key, typeof claim === 'string' ? 'duplicate' : claim);" },
  }),
  // The leases of the store in memory follow the wall clock, which can be set.
  planted('the wall clock ends leases in memory', ['memory'], 7000, {
    [MEMORY]: { 'const leaseClock = options.now ?? monotonicNow;': 'const leaseClock = now;' },
  }),
  // A redelivery of a key that a run in memory holds is acknowledged.
  planted('a running key is a duplicate in memory', ['memory'], 50, {
    [MEMORY]: { "if (isHeld(row)) return 'in-progress';": "if (isHeld(row)) return 'duplicate';" },
  }),
  // The store in memory runs a key again that took effect.
  planted('memory forgets what is done', ['memory'], 50, {
    [MEMORY]: { 'if (row?.isDone) return false;': '' },
  }),
  // A redelivery does not wait for the pending record of its key.
  planted('a redelivery passes a pending record', ['leased'], 4000, {
    [LEASED]: { 'recorder.isIdle() ? NONE : await recording(keys)': 'NONE' },
  }),
  // The handler of several events gets the largest of their fencing tokens.
  planted('the largest fencing token', ['leased'], 700, {
    'src/handle/attempt.ts': { '(token < least ? token : least)': '(token > least ? token : least)' },
  }),
];
