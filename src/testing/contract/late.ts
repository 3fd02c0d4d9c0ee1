import type { IdempotencyStore } from '../../stores/store.js';
import { repeat, unique, uniques, type Work } from './call.js';
import type { Cases } from './cases.js';
import type { Trial } from './trial.js';
import { RUN_FAILED } from './words.js';

/** A run whose handler has timed out and continues. */
const late: Work<unknown> = (_tx, options) => options?.onTimeout?.(new Error('The handler timed out.'));

/** Claims keys for a run that is late, and expects that nobody else gets them until it has settled. */
async function holdLate<Tx>(
  trial: Trial<Tx>,
  [store, other]: readonly [IdempotencyStore<Tx>, IdempotencyStore<Tx>],
  keys: string | readonly string[],
) {
  const held = await trial.hold(store, keys, 'The first call of a key', { work: late });
  const what = 'A handler has timed out and still runs; its event is redelivered';
  const waiting = [...(await trial.refused(other, keys, what)), ...(await trial.refused(store, keys, what))];
  return { ...held, isWaitedFor: waiting.length > 0 };
}

/** Of a store without transactions, which cannot undo a late run. */
export const lateCases: Cases = {
  async 'keeps its key until it settles, and is recorded when it succeeds'(trial) {
    const stores = await trial.replicas();
    const key = unique();
    const { call, gate } = await holdLate(trial, stores, key);
    gate.open();
    await trial.handled(call, 'A late handler succeeded');
    await trial.duplicate(stores[1], key, 'A late handler succeeded; its event is redelivered');
  },

  async 'keeps its key until it settles, and frees it when it fails'(trial) {
    const stores = await trial.replicas();
    const key = unique();
    const { call, gate, isWaitedFor } = await holdLate(trial, stores, key);
    gate.fail(new Error(RUN_FAILED));
    await trial.rethrows(call, 'A late handler failed');
    // A call that waited may have run it.
    if (!isWaitedFor) await trial.free(stores[1], key, 'A late handler failed; its event is redelivered');
  },

  async 'keeps several keys until it settles, and is recorded when it succeeds'(trial) {
    const stores = await trial.replicasForSeveral();
    const keys = uniques(3);
    const { call, gate } = await holdLate(trial, stores, keys);
    gate.open();
    await trial.words(call, repeat(3, 'handled'), 'A late handler succeeded');
    await trial.duplicates(stores[1], keys, 'A late handler succeeded; its delivery is redelivered');
  },

  async 'keeps several keys until it settles, and frees them when it fails'(trial) {
    const stores = await trial.replicasForSeveral();
    const keys = uniques(3);
    const { call, gate, isWaitedFor } = await holdLate(trial, stores, keys);
    gate.fail(new Error(RUN_FAILED));
    await trial.rethrows(call, 'A late handler failed');
    if (isWaitedFor) return;
    const again = trial.each(stores[1], keys);
    await trial.words(again, repeat(3, 'handled'), 'A late handler failed; its delivery is redelivered');
  },
};
