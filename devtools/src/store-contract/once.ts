import { type Call, failing, isTransactional, type Outcome, throwing, unique, uniques, wordsOf } from './call.js';
import { ranWith } from './several.js';
import type { Cases } from './trial.js';
import { settles, sleep } from './waiting.js';
import { failure, LOST, NOT_ATOMIC, TWICE } from './words.js';

/** How many calls race for one key. */
const RACERS = 200;

export const onceCases: Cases = {
  async 'answers only after the run has settled'(trial) {
    const [store] = await trial.replicas();
    const { call, gate } = await trial.hold(store, unique(), 'The first call of a key');
    if (await settles(call.settled, 100)) {
      throw failure('A run has not settled', 'no answer yet', call.outcome as Outcome, LOST);
    }
    gate.open();
    await trial.handled(call, 'A run has settled');
  },

  async 'does not run a key again that took effect, on this or another replica'(trial) {
    const [store, other] = await trial.replicas();
    const key = unique();
    await trial.handled(trial.call(store, key), 'The first call of a key');
    await trial.duplicate(other, key, 'A second replica gets an event that has taken effect');
    await trial.duplicate(store, key, 'The same replica gets an event that has taken effect');
    await trial.duplicate(other, key, 'A second replica gets an event for the third time');
  },

  async 'rethrows the error of a run, and lets the next call try again'(trial) {
    const [store, other] = await trial.replicas();
    for (const keys of [1, 5].map(uniques)) {
      await trial.rethrows(trial.call(store, keys, failing), 'A run failed');
      await trial.rethrows(trial.call(other, keys, throwing), 'The run of a redelivery threw synchronously');
      const [first = '', ...rest] = keys;
      await trial.handled(trial.call(other, first), 'An event whose run has failed is redelivered');
      const what = 'A failed delivery is redelivered, and one of its events took effect';
      const again = trial.call(store, keys);
      await trial.answers(again, ['duplicate', ...rest.map(() => 'handled' as const)], what);
      if (rest.length > 0) ranWith(again, rest, what, keys);
    }
  },

  async 'runs one of two hundred concurrent calls of a key'(trial) {
    const stores = await trial.replicas();
    const [key, gate] = [unique(), trial.gate()];
    const hasEffects = isTransactional(stores[0]);
    const calls = Array.from({ length: RACERS }, (_, index) =>
      trial.call(stores[index % 2 ? 0 : 1], key, async (tx) => {
        if (hasEffects) await trial.effects.write(tx, key);
        await gate.passed;
      }),
    );
    await Promise.race([...calls.map((call) => call.started), Promise.all(calls.map((call) => call.settled))]);
    await sleep(50);
    gate.open();
    const what = `${RACERS} calls of one key on two replicas`;
    const others: Call[] = [];
    for (const call of calls) {
      const outcome = await trial.settled(call, what);
      if (!wordsOf(outcome).includes('handled')) others.push(call);
    }
    const runs = calls.reduce((sum, call) => sum + call.runs.length, 0);
    const count = hasEffects ? await trial.effectsOf(key) : runs;
    if (count > 1) throw failure(what, 'one effect', `${count}`, TWICE, NOT_ATOMIC);
    if (count < 1) throw failure(what, 'one effect', 'none', LOST);
    const handled = RACERS - others.length;
    if (handled > 1) throw failure(what, "'handled' once", `${handled} times`, TWICE);
    const ran = calls.find((call) => call.runs.length > 0);
    // Reports the other answer.
    if (handled < 1 && ran) await trial.handled(ran, what);
    for (const call of others) {
      // A call that waited too long on a busy machine is repeated.
      const isLate = 'error' in (call.outcome as Outcome) && call.runs.length === 0;
      const settled = isLate ? await trial.patiently(() => trial.call(stores[1], key), what) : call;
      await trial.oneOf(settled, ['duplicate', 'in-progress'], what);
    }
    await trial.duplicate(stores[1], key, 'An event took effect for which many calls competed');
  },

  async 'does not run a key that another run has claimed, and keeps keys apart'(trial) {
    const [store, other] = await trial.replicas();
    const [key, another] = [unique(), unique()];
    const { call, gate } = await trial.hold(store, key, 'The first call of a key');
    const what = 'A redelivery arrives while the first run is under way';
    const waiting = [
      ...(await trial.refused(other, key, `${what}, on another replica`)),
      ...(await trial.refused(store, key, `${what}, on the same replica`)),
    ];
    const beside = trial.call(other, another);
    // A database with one writer runs the call afterwards.
    if (!isTransactional(store)) await trial.handled(beside, 'Another event arrives while a run is under way');
    gate.open();
    await trial.handled(call, 'The first run succeeded');
    await trial.handled(beside, 'Another event arrives while a run is under way');
    for (const each of waiting) {
      await trial.oneOf(each, ['duplicate', 'in-progress'], `${what}, and waits until it succeeded`);
      trial.notRun(each, `${what}, and waits until it succeeded`);
    }
  },
};
