import type { Defect } from './defect.js';

const LEASED = 'src/stores/leased-store.ts';
const MEMORY = 'src/stores/memory.ts';
const RECORDER = 'src/stores/recorder.ts';

/** Defects of the lease stores and of the store in memory. */
export const leaseDefects: readonly Defect[] = [
  {
    name: 'a record that never settles',
    about: 'The record of an effect has no time limit: one lost answer blocks its key for ever.',
    patches: [
      {
        file: RECORDER,
        find: 'const timer = setTimeout(() => again(late()), timeoutMs);',
        replace: 'const timer = undefined;',
      },
      {
        file: RECORDER,
        find: 'const inTime = (work: Promise<void>) => withDeadline(work, timeoutMs, late);',
        replace: 'const inTime = (work: Promise<void>) => work;',
      },
    ],
    worlds: ['leased'],
    foundWithin: 6_000,
  },
  {
    name: 'begun after its lease',
    about: 'After a freeze, a handler begins although the lease of its claim may be over.',
    patches: [
      { file: LEASED, find: 'if (!(elapsed() <= claimMs)) throw late();', replace: '' },
      { file: 'src/receiver/attempt.ts', find: 'if (remainingMs + 1 >= ms) return ms;', replace: 'return ms;' },
    ],
    worlds: ['leased'],
    foundWithin: 2_000,
  },
  {
    name: 'records are not retried',
    about: 'The record of an effect is given up after its first failure.',
    patches: [
      {
        file: RECORDER,
        find: 'if (now > giveUpAt) finish(error ?? late());',
        replace: 'finish(error ?? late());',
      },
    ],
    worlds: ['leased'],
    foundWithin: 700,
  },
  {
    name: 'a lost record is acknowledged',
    about: 'The store says `handled` although another run has taken over the key.',
    patches: [
      {
        file: RECORDER,
        find: 'finish(keys.every((key) => recorded.has(key)) ? undefined : takenOver(leaseMs));',
        replace: 'finish();',
      },
    ],
    worlds: ['leased'],
    foundWithin: 2_000,
  },
  {
    name: 'a late claim is kept',
    about: 'A claim whose answer came too late is not released.',
    patches: [
      {
        file: LEASED,
        find: 'const released = claiming.then(release, release).catch(ignore);',
        replace: 'const released = Promise.resolve();',
      },
    ],
    worlds: ['leased'],
    foundWithin: 20,
  },
  {
    name: 'a failed run keeps its key',
    about: 'The key of a run that failed is not released.',
    patches: [{ file: LEASED, find: 'await inTime(release()).catch(ignore);', replace: '' }],
    worlds: ['leased'],
    foundWithin: 20,
  },
  {
    name: 'the record comes before the run',
    about: 'The keys are recorded before the handler runs.',
    patches: [
      {
        file: LEASED,
        find: 'await run(claims, { owner',
        replace: 'await recorder.record(fresh, owner);\n      await run(claims, { owner',
      },
    ],
    worlds: ['leased'],
    foundWithin: 20,
  },
  {
    name: 'an unknown claim runs',
    about: 'A key that another run holds counts as claimed.',
    patches: [
      {
        file: LEASED,
        find: "return claim === 'claimed' || typeof claim === 'bigint';",
        replace: "return claim !== 'duplicate';",
      },
    ],
    worlds: ['leased'],
    foundWithin: 20,
  },
  {
    name: 'a held key is a duplicate',
    about: 'A key that another run holds is acknowledged.',
    patches: [
      {
        file: LEASED,
        find: "return claim === 'duplicate' || claim === 'unknown' ? claim : 'in-progress';",
        replace: "return 'duplicate';",
      },
    ],
    worlds: ['leased'],
    foundWithin: 20,
  },
  {
    name: 'the wall clock ends leases in memory',
    about: 'The leases of the store in memory follow the wall clock, which can be set.',
    patches: [
      { file: MEMORY, find: 'const leaseClock = options.now ?? monotonicNow;', replace: 'const leaseClock = now;' },
    ],
    worlds: ['memory'],
    foundWithin: 7_000,
  },
  {
    name: 'waiting duplicates of a failure',
    about: 'A duplicate that waits for a run is acknowledged although the run fails.',
    patches: [{ file: MEMORY, find: 'resolve(this.#succeeded);', replace: 'resolve(true);' }],
    worlds: ['memory'],
    foundWithin: 50,
  },
  {
    name: 'memory forgets what is done',
    about: 'The store in memory runs a key again that took effect.',
    patches: [
      {
        file: MEMORY,
        find: "if (isDone(key)) return 'duplicate';\n      const hold",
        replace: 'const hold',
      },
    ],
    worlds: ['memory'],
    foundWithin: 50,
  },
  {
    name: 'a redelivery passes a pending record',
    about: 'A redelivery does not wait for the pending record of its key.',
    patches: [
      {
        file: 'src/stores/recorder.ts',
        find: 'return recording && inTime(recording.isOverdue() ? recording.drive() : recording.promise);',
        replace: 'return undefined;',
      },
    ],
    worlds: ['leased'],
    foundWithin: 4000,
  },
];
