import { type Call, unique, wordsOf } from './call.js';
import type { Cases, Trial } from './trial.js';
import { failure, LOST, meaningOfCount, TWICE } from './words.js';

const SETTINGS = { leaseMs: 60_000, timeoutMs: 2000 };

/** Runs `work` while the server is unreachable. */
async function during<Tx>(trial: Trial<Tx>, work: () => Promise<void>): Promise<void> {
  await trial.outage('begin');
  await work().finally(() => trial.outage('end'));
}

const FORGOTTEN = 'nothing remembers what takes effect during an outage, and every redelivery takes effect again';
const UNSEEN =
  'onError, logs and metrics say that another run has the key, and not that the server of the store is away';
const AWAY = 'An event arrives while the server of the store is away';
const BACK = 'The server of the store is back; the event is redelivered';

export const outageCases: Cases = {
  async 'runs nothing while its server is away, and recovers'(trial) {
    const [store] = await trial.replicas(SETTINGS);
    await trial.handled(trial.call(store, unique()), 'The first call of a key');
    const key = unique();
    const calls: Call[] = [];
    const again = () => {
      const call = trial.call(store, key);
      calls.push(call);
      return call;
    };
    await during(trial, async () => {
      for (const call of [again(), again()]) {
        const outcome = await trial.settled(call, AWAY);
        if (call.runs.length > 0) throw failure(AWAY, 'an error and no call of run', 'a run', FORGOTTEN);
        const isRefused = wordsOf(outcome).includes('in-progress');
        await trial.rejects(call, AWAY, isRefused ? UNSEEN : LOST);
      }
    });
    await trial.eventually(again, ['handled', 'duplicate'], BACK);
    const runs = calls.reduce((sum, call) => sum + call.runs.length, 0);
    if (runs !== 1) throw failure(BACK, 'one run', `${runs}`, meaningOfCount(runs));
  },

  async 'keeps the keys that took effect before'(trial) {
    const [store] = await trial.replicas(SETTINGS);
    const key = unique();
    await trial.handled(trial.call(store, key), 'The first call of a key');
    await during(trial, async () => {});
    const again = await trial.eventually(() => trial.call(store, key), ['duplicate', 'handled'], BACK);
    await trial.answers(again, 'duplicate', `${BACK}, after it took effect before the outage`);
  },
};

/** Cases for a store that records an effect after its run. */
export const recordOutageCases: Cases = {
  async 'records an effect whose record failed at first'(trial) {
    const [store, other] = await trial.replicas(SETTINGS);
    const key = unique();
    const what = 'The server of the store went away during a run, which succeeded';
    const call = trial.call(store, key, () => trial.outage('begin'));
    await trial.settled(call, what).finally(() => trial.outage('end'));
    if (call.runs.length > 1) throw failure(what, 'one call of run', `${call.runs.length} calls`, TWICE);
    const again = await trial.eventually(() => trial.call(other, key), ['duplicate', 'handled'], `${what}. ${BACK}`);
    await trial.answers(again, 'duplicate', `${what}. ${BACK}`);
    trial.notRun(again, `${what}. ${BACK}`);
  },
};

/** Cases for a store that commits an effect together with its key. */
export const commitOutageCases: Cases = {
  async 'commits an effect once if its server goes away before the commit'(trial) {
    const [store, other] = await trial.replicas(SETTINGS);
    const { effects } = trial;
    const key = unique();
    const what = 'The server of the store went away during a run, which wrote an effect';
    const call = trial.call(store, key, async (tx) => {
      await effects.write(tx, key);
      await trial.outage('begin');
    });
    const outcome = await trial.settled(call, what).finally(() => trial.outage('end'));
    // An answered event is not redelivered.
    if ('answer' in outcome && (await trial.effectsOf(key)) === 0) throw failure(what, 'an error', outcome, LOST);
    const redeliver = () => trial.call(other, key, (tx) => effects.write(tx, key));
    await trial.eventually(redeliver, ['handled', 'duplicate'], `${what}. ${BACK}`);
    const count = await trial.effectsOf(key);
    if (count !== 1) throw failure(`${what}. ${BACK}`, 'one committed effect', `${count}`, meaningOfCount(count));
  },
};
