import type { StoreWord } from '../../../src/stores/store.js';
import { LeaseStore, leases } from './right-stores.js';
import type { Server } from './server.js';

// Stores that call the run, or record its result, at the wrong time.

/** "Better twice than never": handles events without a key while the server is away. */
export const FailsOpen = leases((right) => ({
  claim: (keys, owner) => right.claim(keys, owner).catch(() => keys.map((): StoreWord => 'handled')),
  record: async (keys, owner) => (right.server.isAway ? undefined : right.record(keys, owner)),
}));

/** Answers an outage like a key that another run has claimed. */
export const CallsOutagesInProgress = leases((right) => ({
  claim: (keys, owner) => right.claim(keys, owner).catch(() => keys.map((): StoreWord => 'in-progress')),
}));

/** Answers an outage like a key that has taken effect. */
export const CallsOutagesDuplicates = leases((right) => ({
  claim: (keys, owner) => right.claim(keys, owner).catch(() => keys.map((): StoreWord => 'duplicate')),
}));

/** Caches the promise of its first connection: if that rejects once, every later call rejects. */
export const NeverConnectsAgain = leases((right) => {
  let broken: unknown;
  return {
    claim: async (keys, owner) => {
      if (broken) throw broken;
      return right.claim(keys, owner).catch((error) => {
        broken = error;
        throw error;
      });
    },
  };
});

/** Its client queues commands until it is connected again, without a time limit. */
export const QueuesCommands = leases((right) => ({
  async claim(keys, owner) {
    while (right.server.isAway) await new Promise((resolve) => setTimeout(resolve, 50));
    return right.claim(keys, owner);
  },
}));

/** Does not retry the record of an effect. */
export const RecordsOnce = leases((right) => ({
  async record(keys, owner) {
    if (!(await right.complete(keys, owner))) throw new Error('Another run has taken over the key.');
  },
}));

/** Keeps the keys in the memory of the process, behind a load balancer. */
export class KeepsKeysInTheProcess extends LeaseStore {
  constructor(server: Server, settings?: ConstructorParameters<typeof LeaseStore>[1]) {
    super(Object.assign(Object.create(server) as Server, { rows: new Map() }), settings);
  }
}

/** Reads, then writes, in two commands. */
export const ChecksThenSets = leases(({ server, leaseMs }) => ({
  async claim(keys, owner) {
    const rows = await server.call(() => keys.map((key) => server.find(key)));
    const words = rows.map((row): StoreWord => (row ? (row.isDone ? 'duplicate' : 'in-progress') : 'handled'));
    await server.call(() => {
      const until = server.now + leaseMs;
      for (const [index, key] of keys.entries())
        if (words[index] === 'handled') server.rows.set(key, { owner, isDone: false, until });
    });
    return words;
  },
}));

/** `INSERT … ON CONFLICT DO NOTHING`, then the handler: at most once instead of exactly once. */
export const RecordsBeforeTheRun = leases((right) => ({
  async work(fresh, owner, run) {
    await right.complete(fresh, owner);
    await run(fresh, undefined);
  },
}));

/** A lock that is released after the run. */
export const RecordsNothing = leases((right) => ({ record: (keys, owner) => right.release(keys, owner) }));

/** Does not free the key of a failed run before the end of its lease. */
export const KeepsKeysOfFailedRuns = leases(() => ({ release: async () => {} }));

/** Logs the error of a run, and records the event as handled. */
export const SwallowsErrors = leases(() => ({
  work: (fresh, _owner, run) => (async () => run(fresh, undefined))().catch(() => {}),
}));

/** Logs the error of a run, frees the key, and answers `handled`. */
export const AnswersHandledAfterAFailure = leases((right) => ({
  handle: (keys, run) => right.handle(keys, run).catch(() => keys.map((): StoreWord => 'handled')),
}));

/** `run(…).catch(…)` does not catch an error that `run` throws synchronously. */
export const MissesSynchronousThrows = leases((right) => ({
  async work(fresh, owner, run) {
    await run(fresh, undefined).catch(async (error) => {
      await right.release(fresh, owner);
      throw error;
    });
  },
}));

/** Forgets to await the run. */
export const DoesNotWaitForTheRun = leases((right) => ({
  async work(...args) {
    right.work(...args).catch(() => {});
  },
}));

/** A mock that was left in: it never calls the run. */
export const RunsNothing = leases(() => ({ work: async () => {} }));

/** Calls the run twice. */
export const RunsTwice = leases((right) => ({
  async work(...args) {
    await right.work(...args);
    await right.work(...args);
  },
}));

/** `INSERT` without a clause for keys that are there, with a driver that throws text. */
export const FailsForKnownKeys = leases((right) => ({
  async claim(keys, owner) {
    const words = await right.claim(keys, owner);
    return words.every((word) => word === 'handled') ? words : Promise.reject('duplicate key value');
  },
}));

/** Answers `handled` whether it called the run or not. */
export const CallsAllHandled = leases((right) => ({
  once: async (key, run) => right.once(key, run).then((): StoreWord => 'handled'),
}));

/** Replaces the error of the run by its own. */
export const HidesErrors = leases((right) => ({
  work: (...args) => right.work(...args).catch(() => Promise.reject(new Error('The event could not be handled.'))),
}));

/** Retries a failed run itself. */
export const RetriesRuns = leases((right) => ({
  work: (fresh, owner, run) => right.work(fresh, owner, (keys, tx) => run(keys, tx).catch(() => run(keys, tx))),
}));

/** Retries the run and its record together. */
export const RunsAgainIfTheRecordFails = leases((right) => ({
  async work(fresh, owner, run) {
    for (let tries = 1; ; tries++) {
      await right.work(fresh, owner, run);
      try {
        await right.complete(fresh, owner);
        return;
      } catch (error) {
        if (tries === 3) throw error;
      }
    }
  },
}));

/** Answers `duplicate` for a key whose first run may still fail. */
export const CallsHeldKeysDuplicates = leases((right) => ({
  claimRow(name, owner) {
    const word = right.claimRow(name, owner);
    return word === 'in-progress' ? 'duplicate' : word;
  },
}));

/** Answers whether the event is new, as a boolean. */
export const AnswersBooleans = leases((right) => ({
  once: async (key, run) => ((await right.once(key, run)) === 'handled') as unknown as StoreWord,
}));

/** Never deletes a key that took effect. */
export const RemembersForEver = leases((right) => ({
  claimRow: (name, owner) => (right.server.rows.get(name)?.isDone ? 'duplicate' : right.claimRow(name, owner)),
}));

/** Keeps the expiry of the claim when it records an effect. */
export const RemembersForALease = leases(({ server }) => ({
  completeRow(name, owner) {
    const row = server.rows.get(name);
    if (row?.owner !== owner) return false;
    server.rows.set(name, { ...row, isDone: true });
    return true;
  },
}));
