import type { IdempotencyStore } from 'event-webhook-receiver';
import { failing, RUN_FAILED, unique, uniques } from './call.js';
import type { Cases, Trial } from './trial.js';
import { BOTH, failure, TWICE, UNNOTICED } from './words.js';

const LEASE_MS = 300;
/** The time after which every lease is over, in ms. */
const OVER_MS = LEASE_MS + 50;

const FIRST = 'The first call of a key';
const TAKEN_OVER = 'The lease of a run that hangs is over; its event is redelivered';
const LOST_LEASE = 'A run succeeds after its lease, when another run has taken over its key';
const RELEASED = 'A run fails after its lease, when another run has taken over its key';

/** Two replicas with short leases, and how to check that a key is claimed. */
async function leased<Tx>(trial: Trial<Tx>) {
  const [store, other] = await trial.replicas({ leaseMs: LEASE_MS });
  const holdTimed = async (...args: Parameters<Trial<Tx>['hold']>) => {
    const start = trial.time();
    return { start, ...(await trial.hold(...args)) };
  };
  /** Expects that the key is claimed, unless a slow machine has used up the lease. */
  async function refused(by: IdempotencyStore<Tx>, key: string, start: number, what: string): Promise<void> {
    // If the call takes over the key after the lease, it frees the key again.
    const call = await trial.patiently(() => trial.call(by, key, failing), what);
    if (trial.time() - start > LEASE_MS - 50) return;
    if (call.runs.length > 0) throw failure(what, "'in-progress'", 'a second run', BOTH);
    await trial.answers(call, 'in-progress', what);
  }
  return { store, other, hold: holdTimed, refused };
}

export const leaseCases: Cases = {
  async 'says how long its leases are'(trial) {
    const [store] = await trial.replicas({ leaseMs: 5000 });
    const { leaseMs = 0 } = store;
    const what = 'A store was created with leaseMs: 5000. Its property leaseMs';
    if (!(leaseMs <= 5000)) {
      throw failure(what, 'at most 5000', String(leaseMs), `handlers run longer than their lease, and ${TWICE}`);
    }
    if (leaseMs < 2500) {
      const meaning = 'handlers get at most 0.9 of this time, so they time out and their events fail';
      throw failure(what, 'at least half of 5000', String(leaseMs), meaning);
    }
  },

  async 'lets another call take over the key of a run that hangs when its lease is over, and not before'(trial) {
    const { store, other, hold, refused } = await leased(trial);
    const key = unique();
    const { start } = await hold(store, key, FIRST);
    const within = `A run has a lease of ${LEASE_MS} ms; its event is redelivered within the lease`;
    await refused(other, key, start, within);
    await trial.passTime(OVER_MS / 2);
    // A redelivery does not extend the lease.
    await refused(other, key, start, within);
    await trial.passTime(OVER_MS / 2);
    await trial.becomesFree(other, key, TAKEN_OVER);
    await trial.duplicate(other, key, 'An event took effect after its key was taken over');
  },

  async 'lets a run that lost its lease neither record nor free a key that another has taken over'(trial) {
    const { store, other, hold, refused } = await leased(trial);
    const key = unique();
    const succeeding = await hold(store, key, FIRST);
    await refused(other, key, succeeding.start, 'A run has claimed a key');
    await trial.passTime(OVER_MS);
    const failing = await hold(store, key, TAKEN_OVER, true);
    await refused(other, key, failing.start, 'A run has taken over a key');
    await trial.passTime(OVER_MS);
    const current = await hold(other, key, TAKEN_OVER, true);
    succeeding.gate.open();
    await trial.rejects(succeeding.call, LOST_LEASE, UNNOTICED);
    await refused(store, key, current.start, LOST_LEASE);
    failing.gate.fail(new Error(RUN_FAILED));
    await trial.rethrows(failing.call, RELEASED);
    await refused(store, key, current.start, RELEASED);
    current.gate.open();
    await trial.handled(current.call, 'The run that has taken over succeeded');
    await trial.duplicate(store, key, 'The run that has taken over succeeded; its event is redelivered');
  },

  async 'lets a run be recorded after its lease if nobody has taken over'(trial) {
    const leases = await leased(trial);
    const key = unique();
    const { call, gate } = await leases.hold(leases.store, key, FIRST);
    await trial.passTime(OVER_MS);
    gate.open();
    await trial.handled(call, 'A run succeeded after its lease, and nobody has taken over');
    await trial.duplicate(leases.other, key, 'A run succeeded after its lease; its event is redelivered');
  },

  async 'keeps a key that took effect when its lease would have ended'(trial) {
    const leases = await leased(trial);
    const key = unique();
    await trial.handled(await trial.patiently(() => trial.call(leases.store, key), FIRST), FIRST);
    await trial.passTime(OVER_MS);
    await trial.duplicate(leases.other, key, 'An event took effect longer ago than a lease');
  },

  async 'records none of several keys for a run from which another has taken them over'(trial) {
    const { store, other, hold } = await leased(trial);
    const [a, b, c] = uniques(3) as [string, string, string];
    const late = await hold(store, [a, b], FIRST);
    await trial.passTime(OVER_MS);
    const current = await hold(other, [b, c], TAKEN_OVER, true);
    late.gate.open();
    await trial.rejects(late.call, LOST_LEASE, UNNOTICED);
    // A key that was not taken over is recorded.
    await trial.duplicate(
      store,
      [a],
      'A run succeeded after its lease, and nobody has taken over this one of its keys',
    );
    current.gate.open();
    await trial.handled(current.call, 'The run that has taken over succeeded');
    await trial.duplicate(store, [a, b, c], 'Both runs took effect');
  },

  async 'frees none of several keys that another run has taken over'(trial) {
    const { store, other, hold, refused } = await leased(trial);
    const [a, b] = uniques(2) as [string, string];
    const late = await hold(store, [a, b], FIRST);
    await trial.passTime(OVER_MS);
    const current = await hold(other, [b], TAKEN_OVER, true);
    late.gate.fail(new Error(RUN_FAILED));
    await trial.rethrows(late.call, RELEASED);
    await refused(store, b, current.start, RELEASED);
    current.gate.open();
    await trial.handled(current.call, 'The run that has taken over succeeded');
    const what = 'The run of two keys failed, and one of them was taken over';
    await trial.answers(await trial.patiently(() => trial.call(store, [b, a]), what), ['duplicate', 'handled'], what);
  },
};
