import type { ContractSettings } from '../../../src/store-contract/index.js';
import { leases, RightLeaseStore } from './right-stores.js';
import type { Server } from './server.js';

// Lease stores that lose what they should remember.

/** "Better twice than never": handles events without a key while the server is away. */
export const FailsOpen = leases((right) => ({
  claim: (keys, owner) => right.claim(keys, owner).catch(() => new Map(keys.map((key) => [key, {}]))),
  record: async (keys, owner) =>
    right.server.isAway ? new Map(keys.map((key) => [key, true])) : right.record(keys, owner),
}));

/** Answers an outage like a key that another run has claimed. */
export const CallsOutagesInProgress = leases((right) => ({
  claim: (keys, owner) =>
    right.claim(keys, owner).catch(() => new Map(keys.map((key) => [key, 'in-progress' as const]))),
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
export const RecordsOnce = leases((right) => ({ record: (keys, owner) => right.recordOnce(keys, owner) }));

/** Keeps the keys in the memory of the process, behind a load balancer. */
export class KeepsKeysInTheProcess extends RightLeaseStore {
  constructor(server: Server, settings?: ContractSettings) {
    super(Object.assign(Object.create(server) as Server, { rows: new Map() }), settings);
  }
}

/** Keeps the keys in a server without a disk. */
export const KeepsKeysInACache = leases((right) => {
  let { outages } = right.server;
  return {
    claimRow(name, owner) {
      if (right.server.outages !== outages) right.server.rows.clear();
      outages = right.server.outages;
      return right.claimRow(name, owner);
    },
  };
});

/** Reads, then writes, in two commands. */
export const ChecksThenSets = leases(({ server, leaseMs }) => ({
  async claim(keys, owner) {
    const rows = await server.call(() => keys.map((key) => server.find(key)));
    const answers = rows.map((row) => (row ? (row.isDone ? 'duplicate' : 'in-progress') : {}));
    return server.call(() => {
      const until = server.now + leaseMs;
      for (const [index, key] of keys.entries())
        if (typeof answers[index] === 'object') server.rows.set(key, { owner, isDone: false, until });
      return new Map(keys.map((key, index) => [key, answers[index] as object]));
    });
  },
}));

/** `INSERT … ON CONFLICT DO NOTHING` as the claim: at most once instead of exactly once. */
export const RecordsWithTheClaim = leases((right) => ({
  claimRow(name, owner) {
    const answer = right.claimRow(name, owner);
    if (typeof answer === 'object') right.recordRow(name, owner);
    return answer;
  },
}));

/** A lock that is released after the run. */
export const RecordsNothing = leases((right) => ({
  async record(keys, owner) {
    await right.release(keys, owner);
    return new Map(keys.map((key) => [key, true]));
  },
}));

/** Never deletes a key that took effect. */
export const RemembersForEver = leases((right) => ({
  claimRow: (name, owner) => (right.server.rows.get(name)?.isDone ? 'duplicate' : right.claimRow(name, owner)),
}));

/** Keeps the expiry of the claim when it records an effect. */
export const RemembersForALease = leases(({ server }) => ({
  recordRow(name, owner) {
    const row = server.rows.get(name);
    if (row?.owner !== owner) return false;
    server.rows.set(name, { ...row, isDone: true });
    return true;
  },
}));
