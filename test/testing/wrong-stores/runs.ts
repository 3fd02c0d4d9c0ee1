import type { StoreWord } from '../../../src/index.js';
import { LeaseStore } from './right-stores.js';
import type { Server } from './server.js';

// Stores that call the run, or record its result, at the wrong time.

type Run = Parameters<LeaseStore['once']>[1];
type Work = Parameters<LeaseStore['work']>[2];

/** "Better twice than never": handles events without a key while the server is away. */
export class FailsOpen extends LeaseStore {
  override async claim(keys: readonly string[], owner: string): Promise<StoreWord[]> {
    return super.claim(keys, owner).catch(() => keys.map(() => 'handled'));
  }

  override async record(keys: readonly string[], owner: string) {
    if (!this.server.isAway) await super.record(keys, owner);
  }
}

/** Answers an outage like a key that another run has claimed. */
export class CallsOutagesInProgress extends LeaseStore {
  override async claim(keys: readonly string[], owner: string): Promise<StoreWord[]> {
    return super.claim(keys, owner).catch(() => keys.map(() => 'in-progress'));
  }
}

/** Caches the promise of its first connection: if that rejects once, every later call rejects. */
export class NeverConnectsAgain extends LeaseStore {
  #broken: unknown;

  override async claim(keys: readonly string[], owner: string): Promise<StoreWord[]> {
    if (this.#broken) throw this.#broken;
    return super.claim(keys, owner).catch((error) => {
      this.#broken = error;
      throw error;
    });
  }
}

/** Its client queues commands until it is connected again, without a time limit. */
export class QueuesCommands extends LeaseStore {
  override async claim(keys: readonly string[], owner: string): Promise<StoreWord[]> {
    while (this.server.isAway) await new Promise((resolve) => setTimeout(resolve, 50));
    return super.claim(keys, owner);
  }
}

/** Does not retry the record of an effect. */
export class RecordsOnce extends LeaseStore {
  override async record(keys: readonly string[], owner: string) {
    if (!(await this.complete(keys, owner))) throw new Error('Another run has taken over the key.');
  }
}

/** Keeps the keys in the memory of the process, behind a load balancer. */
export class KeepsKeysInTheProcess extends LeaseStore {
  constructor(server: Server, settings?: ConstructorParameters<typeof LeaseStore>[1]) {
    super(Object.assign(Object.create(server) as Server, { rows: new Map() }), settings);
  }
}

/** Reads, then writes, in two commands. */
export class ChecksThenSets extends LeaseStore {
  override async claim(keys: readonly string[], owner: string): Promise<StoreWord[]> {
    const rows = await this.server.call(() => keys.map((key) => this.server.find(key)));
    const words = rows.map((row): StoreWord => (row ? (row.isDone ? 'duplicate' : 'in-progress') : 'handled'));
    await this.server.call(() => {
      const until = this.server.now + this.leaseMs;
      for (const [index, key] of keys.entries())
        if (words[index] === 'handled') this.server.rows.set(key, { owner, isDone: false, until });
    });
    return words;
  }
}

/** `INSERT … ON CONFLICT DO NOTHING`, then the handler: at most once instead of exactly once. */
export class RecordsBeforeTheRun extends LeaseStore {
  override async work(fresh: readonly string[], owner: string, run: Work) {
    await this.complete(fresh, owner);
    await run(fresh, undefined);
  }
}

/** A lock that is released after the run. */
export class RecordsNothing extends LeaseStore {
  override async record(keys: readonly string[], owner: string) {
    await this.release(keys, owner);
  }
}

/** Does not free the key of a failed run before the end of its lease. */
export class KeepsKeysOfFailedRuns extends LeaseStore {
  override async release() {}
}

/** Logs the error of a run, and records the event as handled. */
export class SwallowsErrors extends LeaseStore {
  override async work(fresh: readonly string[], _owner: string, run: Work) {
    try {
      await run(fresh, undefined);
    } catch {
      // This is what is wrong with it.
    }
  }
}

/** Logs the error of a run, frees the key, and answers `handled`. */
export class AnswersHandledAfterAFailure extends LeaseStore {
  override async handle(keys: readonly string[], run: Work): Promise<StoreWord[]> {
    return super.handle(keys, run).catch(() => keys.map(() => 'handled'));
  }
}

/** `run(…).catch(…)` does not catch an error that `run` throws synchronously. */
export class MissesSynchronousThrows extends LeaseStore {
  override async work(fresh: readonly string[], owner: string, run: Work) {
    await run(fresh, undefined).catch(async (error) => {
      await this.release(fresh, owner);
      throw error;
    });
  }
}

/** Forgets to await the run. */
export class DoesNotWaitForTheRun extends LeaseStore {
  override async work(fresh: readonly string[], owner: string, run: Work) {
    super.work(fresh, owner, run).catch(() => {});
  }
}

/** A mock that was left in: it never calls the run. */
export class RunsNothing extends LeaseStore {
  override async work() {}
}

/** Replaces the error of the run by its own. */
export class HidesErrors extends LeaseStore {
  override async work(fresh: readonly string[], owner: string, run: Work) {
    await super.work(fresh, owner, run).catch(() => Promise.reject(new Error('The event could not be handled.')));
  }
}

/** Retries a failed run itself. */
export class RetriesRuns extends LeaseStore {
  override async work(fresh: readonly string[], owner: string, run: Work) {
    await super.work(fresh, owner, (keys, tx) => run(keys, tx).catch(() => run(keys, tx)));
  }
}

/** Retries the run and its record together. */
export class RunsAgainIfTheRecordFails extends LeaseStore {
  override async work(fresh: readonly string[], owner: string, run: Work) {
    for (let tries = 1; ; tries++) {
      await super.work(fresh, owner, run);
      try {
        await this.complete(fresh, owner);
        return;
      } catch (error) {
        if (tries === 3) throw error;
      }
    }
  }
}

/** Answers `duplicate` for a key whose first run may still fail. */
export class CallsHeldKeysDuplicates extends LeaseStore {
  override claimRow(name: string, owner: string) {
    const word = super.claimRow(name, owner);
    return word === 'in-progress' ? 'duplicate' : word;
  }
}

/** Answers whether the event is new, as a boolean. */
export class AnswersBooleans extends LeaseStore {
  override async once(key: string, run: Run): Promise<StoreWord> {
    return ((await super.once(key, run)) === 'handled') as unknown as StoreWord;
  }
}

/** Never deletes a key that took effect. */
export class RemembersForEver extends LeaseStore {
  override claimRow(name: string, owner: string) {
    return this.server.rows.get(name)?.isDone ? 'duplicate' : super.claimRow(name, owner);
  }
}

/** Keeps the expiry of the claim when it records an effect. */
export class RemembersForALease extends LeaseStore {
  override completeRow(name: string, owner: string) {
    const row = this.server.rows.get(name);
    if (row?.owner !== owner) return false;
    this.server.rows.set(name, { ...row, isDone: true });
    return true;
  }
}
