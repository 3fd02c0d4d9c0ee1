import type { ContractSettings } from '../../../src/store-contract/index.js';
import { leases, RightLeaseStore } from './right-stores.js';
import type { Server } from './server.js';

// Stores whose leases are wrong.

/** `UPDATE … WHERE key = ?`, without the owner. */
export const RecordsKeysOfOthers = leases(({ server, retentionMs }) => ({
  recordRow(name, owner) {
    server.rows.set(name, { owner, isDone: true, until: server.now + retentionMs });
    return true;
  },
}));

/** `DELETE … WHERE key = ?`, without the owner. */
export const ReleasesKeysOfOthers = leases(({ server, nameOf }) => ({
  release: (keys) =>
    server.call(() => {
      for (const key of keys) server.rows.delete(nameOf(key));
    }),
}));

/** Counts in minutes: a lease lasts far longer than it should. */
export const CountsInMinutes = leases((right) => ({
  claimRow(name, owner) {
    const answer = right.claimRow(name, owner);
    const { rows, now } = right.server;
    if (typeof answer === 'object') rows.set(name, { owner, isDone: false, until: now + 60_000 });
    return answer;
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
  recordRow: (name, owner) => right.server.find(name)?.owner === owner && right.recordRow(name, owner),
}));

/** Exposes its lease in seconds instead of milliseconds. */
export class ExposesSeconds extends RightLeaseStore {
  override readonly leaseMs: number;

  constructor(server: Server, settings: ContractSettings = {}) {
    super(server, settings);
    this.leaseMs = (settings.leaseMs ?? 60_000) / 1000;
  }

  override claimRow(name: string, owner: string) {
    const answer = super.claimRow(name, owner);
    const until = this.server.now + 1000 * this.leaseMs;
    if (typeof answer === 'object') this.server.rows.set(name, { owner, isDone: false, until });
    return answer;
  }
}

/** Does not free the key of a failed run before the end of its lease. */
export const KeepsKeysOfFailedRuns = leases(() => ({ release: async () => {} }));

/** Answers `duplicate` for a key whose first run may still fail. */
export const CallsHeldKeysDuplicates = leases((right) => ({
  claimRow(name, owner) {
    const answer = right.claimRow(name, owner);
    return answer === 'in-progress' ? 'duplicate' : answer;
  },
}));

/** Answers whether the key was free, as a boolean. */
export const AnswersBooleans = leases((right) => ({
  claimRow: (name, owner) => (typeof right.claimRow(name, owner) === 'object') as never,
}));
