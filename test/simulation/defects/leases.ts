import { type Defect, planted } from './defect.js';

const LEASED = 'src/stores/leased-store.ts';
const MEMORY = 'src/stores/memory.ts';
const RECORDER = 'src/stores/recorder.ts';

/** Defects of the lease stores and of the store in memory. */
export const leaseDefects: readonly Defect[] = [
  // The record of an effect has no time limit: one lost answer blocks its key for ever.
  planted('a record that never settles', ['leased'], 15_000, {
    [RECORDER]: {
      'const timer = setTimeout(() => again(late()), timeoutMs);': 'const timer = undefined;',
      'const inTime = (work: Promise<void>) => withDeadline(work, timeoutMs, late);':
        'const inTime = (work: Promise<void>) => work;',
    },
  }),
  // After a freeze, a handler begins although the lease of its claim may be over.
  planted('begun after its lease', ['leased'], 2000, {
    [LEASED]: { 'if (!(elapsed() <= claimMs)) throw late();': '' },
    'src/handle/attempt.ts': { 'if ((options?.remainingMs?.() ?? ms) + 1 >= ms) return ms;': 'return ms;' },
  }),
  // The record of an effect is given up after its first failure.
  planted('records are not retried', ['leased'], 700, {
    [RECORDER]: { 'if (now > giveUpAt) finish(error ?? late());': 'finish(error ?? late());' },
  }),
  // The store says `handled` although another run has taken over the key.
  planted('a lost record is acknowledged', ['leased'], 2000, {
    [RECORDER]: { 'finish(keys.every((key) => recorded.has(key)) ? undefined : takenOver(leaseMs));': 'finish();' },
  }),
  // A claim whose answer came too late is not released.
  planted('a late claim is kept', ['leased'], 20, {
    [LEASED]: {
      'const released = claiming.then(release, release).catch(ignore);': 'const released = Promise.resolve();',
    },
  }),
  // The key of a run that failed is not released.
  planted('a failed run keeps its key', ['leased'], 20, {
    [LEASED]: { 'await inTime(release()).catch(ignore);': '' },
  }),
  // The keys are recorded before the handler runs.
  planted('the record comes before the run', ['leased'], 20, {
    [LEASED]: { 'await run(claims, { owner': `await recorder.record(fresh, owner);\n      await run(claims, { owner` },
  }),
  // A key that another run holds counts as claimed.
  planted('an unknown claim runs', ['leased'], 20, {
    [LEASED]: { "return claim === 'claimed' || typeof claim === 'bigint';": "return claim !== 'duplicate';" },
  }),
  // A key that another run holds is acknowledged.
  planted('a held key is a duplicate', ['leased'], 20, {
    [LEASED]: { "return claim === 'duplicate' || claim === 'unknown' ? claim : 'in-progress';": "return 'duplicate';" },
  }),
  // The leases of the store in memory follow the wall clock, which can be set.
  planted('the wall clock ends leases in memory', ['memory'], 7000, {
    [MEMORY]: { 'const leaseClock = options.now ?? monotonicNow;': 'const leaseClock = now;' },
  }),
  // A duplicate that waits for a run is acknowledged although the run fails.
  planted('waiting duplicates of a failure', ['memory'], 50, {
    [MEMORY]: { 'resolve(this.#succeeded);': 'resolve(true);' },
  }),
  // The store in memory runs a key again that took effect.
  planted('memory forgets what is done', ['memory'], 50, {
    [MEMORY]: { "if (isDone(key)) return 'duplicate';\n      const hold": 'const hold' },
  }),
  // A redelivery does not wait for the pending record of its key.
  planted('a redelivery passes a pending record', ['leased'], 4000, {
    [RECORDER]: {
      'return recording && inTime(recording.isOverdue() ? recording.drive() : recording.promise);': 'return undefined;',
    },
  }),
  // The handler of several events gets the largest of their fencing tokens.
  planted('the largest fencing token', ['leased'], 700, {
    [LEASED]: { 'claim < least)) least = claim;': 'claim > least)) least = claim;' },
  }),
];
