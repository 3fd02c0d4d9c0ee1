import type { ContractSettings } from '../../../src/testing/index.js';
import { LeaseStore } from './right-stores.js';
import type { Server } from './server.js';

// Stores whose leases are wrong.

/** `UPDATE … WHERE key = ?`, without the owner. */
export class CompletesKeysOfOthers extends LeaseStore {
  override completeRow(name: string, owner: string) {
    this.server.rows.set(name, { owner, isDone: true, until: this.server.now + this.retentionMs });
    return true;
  }
}

/** Checks the owner in a conditional write, but ignores its result. */
export class HidesLostLeases extends LeaseStore {
  override async complete(keys: readonly string[], owner: string) {
    await super.complete(keys, owner);
    return true;
  }
}

/** `DELETE … WHERE key = ?`, without the owner. */
export class ReleasesKeysOfOthers extends LeaseStore {
  override async release(keys: readonly string[]) {
    await this.server.call(() => {
      for (const key of keys) this.server.rows.delete(this.nameOf(key));
    });
  }
}

/** A claimed key has no expiry. If its process dies, someone has to delete it manually. */
export class HoldsKeysForEver extends LeaseStore {
  override claimRow(name: string, owner: string) {
    const row = this.server.rows.get(name);
    if (row && !row.isDone) return 'in-progress';
    return super.claimRow(name, owner);
  }
}

/** Counts in minutes: a lease lasts far longer than it should. */
export class CountsInMinutes extends LeaseStore {
  override claimRow(name: string, owner: string) {
    const word = super.claimRow(name, owner);
    if (word === 'handled') this.server.rows.set(name, { owner, isDone: false, until: this.server.now + 60_000 });
    return word;
  }
}

/** Times leases by the clock of the process, instead of the clock of the server. */
export class CountsByItsOwnClock extends LeaseStore {
  override claimRow(name: string, owner: string) {
    const row = this.server.rows.get(name);
    if (row && !row.isDone && row.until > Date.now()) return 'in-progress';
    if (row && !row.isDone) this.server.rows.delete(name);
    const word = super.claimRow(name, owner);
    if (word === 'handled') this.server.rows.set(name, { owner, isDone: false, until: Date.now() + this.leaseMs });
    return word;
  }
}

/** `SET … NX`, then `EXPIRE` in any case: each redelivery extends the lease of a dead process. */
export class ExtendsLeases extends LeaseStore {
  override claimRow(name: string, owner: string) {
    const row = this.server.find(name);
    if (row?.isDone === false) this.server.rows.set(name, { ...row, until: this.server.now + this.leaseMs });
    return super.claimRow(name, owner);
  }
}

/** Takes over every claim, without waiting for its lease to end. */
export class TakesOverAtOnce extends LeaseStore {
  override claimRow(name: string, owner: string) {
    if (this.server.find(name)?.isDone === false) this.server.rows.delete(name);
    return super.claimRow(name, owner);
  }
}

/** Does not record an effect after the end of the lease, even if nobody has taken over the key. */
export class DropsLateRecords extends LeaseStore {
  override completeRow(name: string, owner: string) {
    return this.server.find(name)?.owner === owner && super.completeRow(name, owner);
  }
}

/** Does not check how long the claim took: the process may have been frozen in the meantime. */
export class IgnoresFreezes extends LeaseStore {
  override freezeDetector() {
    return () => false;
  }
}

/** Checks only the wall clock, which may have been set back during a freeze. */
export class TrustsTheWallClock extends LeaseStore {
  override freezeDetector() {
    const start = Date.now();
    return () => Date.now() - start > this.leaseMs / 10 + 250;
  }
}

/** Checks only the monotonic clock, which on some systems does not advance while the machine is suspended. */
export class TrustsTheMonotonicClock extends LeaseStore {
  override freezeDetector() {
    const start = performance.now();
    return () => performance.now() - start > this.leaseMs / 10 + 250;
  }
}

/** Treats a wall clock that was set back like a freeze. */
export class RefusesClocksSetBack extends LeaseStore {
  override freezeDetector() {
    const start = Date.now();
    const isFrozen = super.freezeDetector();
    return () => isFrozen() || Date.now() < start;
  }
}

/** Exposes its lease in seconds instead of milliseconds. */
export class ExposesSeconds extends LeaseStore {
  override readonly leaseMs: number;

  constructor(server: Server, settings: ContractSettings = {}) {
    super(server, settings);
    this.leaseMs = (settings.leaseMs ?? 60_000) / 1000;
  }

  override claimRow(name: string, owner: string) {
    const row = this.server.find(name);
    if (row) return row.isDone ? 'duplicate' : 'in-progress';
    this.server.rows.set(name, { owner, isDone: false, until: this.server.now + 1000 * this.leaseMs });
    return 'handled';
  }
}

/** Frees the key in `onTimeout`, although the handler continues. */
export class FreesKeysAtTheTimeout extends LeaseStore {
  override async work(fresh: readonly string[], owner: string, run: Parameters<LeaseStore['work']>[2]) {
    const onTimeout = () => void this.release(fresh, owner);
    await super.work(fresh, owner, (keys, tx) => run(keys, tx, { onTimeout }));
  }
}

/** Rejects and frees the key in `onTimeout`, and does not record what the handler does afterwards. */
export class ForgetsLateRuns extends LeaseStore {
  override async work(fresh: readonly string[], owner: string, run: Parameters<LeaseStore['work']>[2]) {
    await super.work(
      fresh,
      owner,
      (keys, tx) => new Promise((resolve, reject) => run(keys, tx, { onTimeout: reject }).then(resolve, reject)),
    );
  }
}
