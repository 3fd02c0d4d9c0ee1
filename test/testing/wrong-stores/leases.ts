import type { ContractSettings } from '../../../src/testing/index.js';
import { LeaseStore, leases } from './right-stores.js';
import type { Server } from './server.js';

// Stores whose leases are wrong.

/** `UPDATE … WHERE key = ?`, without the owner. */
export const CompletesKeysOfOthers = leases(({ server, retentionMs }) => ({
  completeRow(name, owner) {
    server.rows.set(name, { owner, isDone: true, until: server.now + retentionMs });
    return true;
  },
}));

/** Checks the owner in a conditional write, but ignores its result. */
export const HidesLostLeases = leases((right) => ({
  complete: (keys, owner) => right.complete(keys, owner).then(() => true),
}));

/** `DELETE … WHERE key = ?`, without the owner. */
export const ReleasesKeysOfOthers = leases(({ server, nameOf }) => ({
  release: (keys) =>
    server.call(() => {
      for (const key of keys) server.rows.delete(nameOf(key));
    }),
}));

/** A claimed key has no expiry. If its process dies, someone has to delete it manually. */
export const HoldsKeysForEver = leases((right) => ({
  claimRow(name, owner) {
    const row = right.server.rows.get(name);
    return row && !row.isDone ? 'in-progress' : right.claimRow(name, owner);
  },
}));

/** Counts in minutes: a lease lasts far longer than it should. */
export const CountsInMinutes = leases((right) => ({
  claimRow(name, owner) {
    const word = right.claimRow(name, owner);
    const { rows, now } = right.server;
    if (word === 'handled') rows.set(name, { owner, isDone: false, until: now + 60_000 });
    return word;
  },
}));

/** Times leases by the clock of the process, instead of the clock of the server. */
export const CountsByItsOwnClock = leases((right) => ({
  claimRow(name, owner) {
    const { rows } = right.server;
    const row = rows.get(name);
    if (row && !row.isDone && row.until > Date.now()) return 'in-progress';
    if (row && !row.isDone) rows.delete(name);
    const word = right.claimRow(name, owner);
    if (word === 'handled') rows.set(name, { owner, isDone: false, until: Date.now() + right.leaseMs });
    return word;
  },
}));

/** `SET … NX`, then `EXPIRE` in any case: each redelivery extends the lease of a dead process. */
export const ExtendsLeases = leases((right) => ({
  claimRow(name, owner) {
    const { server, leaseMs } = right;
    const row = server.find(name);
    if (row?.isDone === false) server.rows.set(name, { ...row, until: server.now + leaseMs });
    return right.claimRow(name, owner);
  },
}));

/** Takes over every claim, without waiting for its lease to end. */
export const TakesOverAtOnce = leases((right) => ({
  claimRow(name, owner) {
    if (right.server.find(name)?.isDone === false) right.server.rows.delete(name);
    return right.claimRow(name, owner);
  },
}));

/** Does not record an effect after the end of the lease, even if nobody has taken over the key. */
export const DropsLateRecords = leases((right) => ({
  completeRow: (name, owner) => right.server.find(name)?.owner === owner && right.completeRow(name, owner),
}));

/** Does not check how long the claim took: the process may have been frozen in the meantime. */
export const IgnoresFreezes = leases(() => ({ freezeDetector: () => () => false }));

/** Checks one clock only: a wall clock may have been set back, and a monotonic one may stand still during a freeze. */
const trusting = (now: () => number) =>
  leases(({ leaseMs }) => ({
    freezeDetector() {
      const start = now();
      return () => now() - start > leaseMs / 10 + 250;
    },
  }));

export const TrustsTheWallClock = trusting(() => Date.now());
export const TrustsTheMonotonicClock = trusting(() => performance.now());

/** Treats a wall clock that was set back like a freeze. */
export const RefusesClocksSetBack = leases((right) => ({
  freezeDetector() {
    const [start, isFrozen] = [Date.now(), right.freezeDetector()];
    return () => isFrozen() || Date.now() < start;
  },
}));

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
export const FreesKeysAtTheTimeout = leases((right) => ({
  work(fresh, owner, run) {
    const onTimeout = () => void right.release(fresh, owner);
    return right.work(fresh, owner, (keys, tx) => run(keys, tx, { onTimeout }));
  },
}));

/** Rejects and frees the key in `onTimeout`, and does not record what the handler does afterwards. */
export const ForgetsLateRuns = leases((right) => ({
  work: (fresh, owner, run) =>
    right.work(
      fresh,
      owner,
      (keys, tx) => new Promise((resolve, reject) => run(keys, tx, { onTimeout: reject }).then(resolve, reject)),
    ),
}));
