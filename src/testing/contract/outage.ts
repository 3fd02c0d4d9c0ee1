import { type Call, unique } from './call.js';
import type { Cases } from './cases.js';
import type { Trial } from './trial.js';
import { within } from './waiting.js';
import { failure, LOST, meaningOfCount, type Outcome, TWICE } from './words.js';

const SETTINGS = { leaseMs: 60_000, timeoutMs: 2000 };
/** How long the user's own server may take to go away or to come back, in ms. */
const SERVER_MS = 30_000;

/** Takes the server away, and brings it back when `end` is called, or at the end of the case. */
function controlOf<Tx>(trial: Trial<Tx>) {
  const { outage } = trial.options;
  const late = () => new Error(`\`outage\` did not settle within ${SERVER_MS / 1000} s.`);
  return {
    begin: () => within((async () => outage?.begin())(), late, SERVER_MS),
    end: () => within((async () => outage?.end())(), late, SERVER_MS),
  };
}

/** Runs `work` while the server is away. */
async function during<Tx>(trial: Trial<Tx>, work: () => Promise<void>): Promise<void> {
  const { begin, end } = controlOf(trial);
  await begin();
  try {
    await work();
  } finally {
    await end();
  }
}

const FORGOTTEN = 'nothing remembers what takes effect during an outage, and every redelivery takes effect again';
const AWAY = 'An event arrives while the server of the store is away';
const BACK = 'The server of the store is back; the event is redelivered';

export const outageCases: Cases = {
  async 'runs nothing while its server is away, and recovers by itself'(trial) {
    const [store] = await trial.replicas(SETTINGS);
    await trial.handled(trial.once(store, unique()), 'The first call of a key');
    const key = unique();
    const calls: Call[] = [];
    const again = () => {
      const call = trial.once(store, key);
      calls.push(call);
      return call;
    };
    await during(trial, async () => {
      for (const call of [again(), again()]) await trial.failsClosed(call, AWAY, FORGOTTEN);
    });
    await trial.eventually(again, ['handled', 'duplicate'], BACK);
    const runs = calls.reduce((sum, call) => sum + call.runs, 0);
    if (runs !== 1) throw failure(BACK, 'one run', `${runs}`, meaningOfCount(runs));
  },

  async 'keeps the keys that took effect before'(trial) {
    const [store] = await trial.replicas(SETTINGS);
    const key = unique();
    await trial.handled(trial.once(store, key), 'The first call of a key');
    await during(trial, async () => {});
    const again = await trial.eventually(() => trial.once(store, key), ['duplicate', 'handled'], BACK);
    await trial.word(again, 'duplicate', `${BACK}, after it took effect before the outage`);
  },
};

/** Of a store that records an effect after its run. */
export const recordOutageCases: Cases = {
  async 'records an effect whose record failed at first'(trial) {
    const [store, other] = await trial.replicas(SETTINGS);
    const key = unique();
    const { begin, end } = controlOf(trial);
    const what = 'The server of the store went away during a run, which succeeded';
    const call = trial.once(store, key, begin);
    try {
      await trial.settled(call, what);
    } finally {
      await end();
    }
    if (call.runs > 1) throw failure(what, 'one call of run', `${call.runs} calls`, TWICE);
    const again = await trial.eventually(() => trial.once(other, key), ['duplicate', 'handled'], `${what}. ${BACK}`);
    await trial.word(again, 'duplicate', `${what}. ${BACK}`);
    trial.notRun(again, `${what}. ${BACK}`);
  },
};

/** Of a store that commits an effect with its key. */
export const commitOutageCases: Cases = {
  async 'commits an effect once if its server goes away before the commit'(trial) {
    const [store, other] = await trial.replicas(SETTINGS);
    const effects = trial.effects();
    const key = unique();
    const { begin, end } = controlOf(trial);
    const what = 'The server of the store went away during a run, which wrote an effect';
    const call = trial.once(store, key, async (tx) => {
      await effects.write(tx, key);
      await begin();
    });
    let outcome: Outcome;
    try {
      outcome = await trial.settled(call, what);
    } finally {
      await end();
    }
    // An answered event is not redelivered.
    if ('answer' in outcome && (await trial.effectsOf(key)) === 0) throw failure(what, 'an error', outcome, LOST);
    const redeliver = () => trial.once(other, key, (tx) => effects.write(tx, key));
    await trial.eventually(redeliver, ['handled', 'duplicate'], `${what}. ${BACK}`);
    const count = await trial.effectsOf(key);
    if (count !== 1) throw failure(`${what}. ${BACK}`, 'one committed effect', `${count}`, meaningOfCount(count));
  },
};
