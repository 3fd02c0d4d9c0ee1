import { type Call, nothing, RUN_FAILED, TIMED_OUT, unique, uniques, type Work } from './call.js';
import type { ContractEffects } from './options.js';
import type { Cases, Trial } from './trial.js';
import { createGate, settles, sleep, WAIT_MS } from './waiting.js';
import { failure, LOST, messageOf, TWICE } from './words.js';

/** Two replicas and their effects. */
async function transactional<Tx>(trial: Trial<Tx>) {
  const [store, other] = await trial.replicas();
  const { effects } = trial;
  async function committed(id: string, expected: 0 | 1, what: string): Promise<void> {
    const count = await trial.effectsOf(id);
    if (count === expected) return;
    const effect = expected === 1 ? 'one committed effect' : 'no committed effect';
    throw failure(what, effect, `${count}`, count > expected ? TWICE : LOST);
  }
  return { store, other, effects, committed };
}

/** A run that writes effects, and then fails if there is an error. */
function writing<Tx>(effects: ContractEffects<Tx>, ids: readonly string[], error?: string): Work<Tx> {
  return async (tx) => {
    for (const id of ids) await effects.write(tx, id);
    if (error !== undefined) throw new Error(error);
  };
}

/** How a handler that continued after its timeout may end. */
const ENDINGS = ['succeeded', 'failed'] as const;

/** How long a store may take to notice that a late handler has settled, in ms. */
const NOTICE_MS = 200;

/** A handler that times out after its first effect, and writes another effect when `finish` is called. */
async function timeOut<Tx>(trial: Trial<Tx>, start: (work: Work<Tx>) => Call, ending: (typeof ENDINGS)[number]) {
  const { effects } = trial;
  const [early, afterwards] = [unique(), unique()];
  const gate = trial.gate();
  const settled = createGate();
  const call = start(async (tx, expire) => {
    try {
      await effects.write(tx, early);
      expire();
      await gate.passed;
      // The transaction is expected to be unusable.
      await (async () => effects.write(tx, afterwards))().catch(nothing);
      if (ending === 'failed') throw new Error(RUN_FAILED);
    } finally {
      settled.open();
    }
  });
  const what = 'The time of a handler is over, and it still runs';
  if (!(await settles(call.settled, WAIT_MS))) {
    gate.open();
    await trial.settled(call, what);
    const count = await trial.effectsOf(early);
    if (count > 0) {
      const late = 'A transaction was committed although the signal of its limit was aborted';
      const meaning = `the event was answered as failed. Its redelivery runs beside the first handler, and ${TWICE}`;
      throw failure(late, 'no committed effect', `${count}`, meaning);
    }
    throw failure(what, 'an error', `no answer within ${WAIT_MS / 1000} s`, WAITS);
  }
  const outcome = await trial.settled(call, what);
  if ('answer' in outcome || !messageOf(outcome.error).includes(TIMED_OUT)) {
    throw failure(what, 'the reason of the signal', outcome, WAITS);
  }
  /** Lets the handler end, and gives the store time to notice. */
  async function finish(): Promise<void> {
    gate.open();
    await settled.passed;
    await sleep(NOTICE_MS);
  }
  return { ids: [early, afterwards], finish };
}

const WAITS = 'the key of an event stays locked for as long as its handler hangs';
const AGAIN = 'A handler timed out and still runs; its event is redelivered';
/** The text for what happened after the handlers of both calls settled. */
const late = (ending: (typeof ENDINGS)[number]) =>
  `A handler timed out, a redelivery took effect, and then the first handler ${ending}`;

/** One key, and several. */
const COUNTS = [1, 3];

export const transactionCases: Cases = {
  async 'commits the effects of a run together with its keys'(trial) {
    const { store, other, effects, committed } = await transactional(trial);
    for (const keys of COUNTS.map(uniques)) {
      await trial.handled(trial.call(store, keys, writing(effects, keys)), 'A run wrote an effect');
      for (const key of keys) await committed(key, 1, 'A run wrote an effect');
      await trial.duplicate(other, keys, 'An effect was committed; its event is redelivered');
      for (const key of keys) await committed(key, 1, 'An effect was committed; its event was redelivered');
    }
  },

  async 'leaves no effect of a run that failed, and frees its keys'(trial) {
    const { store, other, effects, committed } = await transactional(trial);
    for (const keys of COUNTS.map(uniques)) {
      const what = 'A run failed after it wrote an effect';
      await trial.rethrows(trial.call(store, keys, writing(effects, keys, RUN_FAILED)), what);
      for (const key of keys) await committed(key, 0, what);
      await trial.handled(trial.call(other, keys, writing(effects, keys)), 'A failed event is redelivered');
      for (const key of keys) await committed(key, 1, 'A failed event was redelivered');
    }
  },

  async 'frees the keys of a handler that timed out, and never commits them'(trial) {
    const { store, other, effects, committed } = await transactional(trial);
    for (const keys of COUNTS.map(uniques)) {
      for (const ending of ENDINGS) {
        const these = keys.map((key) => key + ending);
        const { ids, finish } = await timeOut(trial, (work) => trial.call(store, these, work), ending);
        for (const key of these) {
          const redeliver = () => trial.call(other, key, writing(effects, [key]));
          await trial.eventually(redeliver, ['handled'], AGAIN);
        }
        await finish();
        await trial.duplicate(store, these, late(ending));
        for (const id of ids) await committed(id, 0, late(ending));
        for (const key of these) await committed(key, 1, late(ending));
      }
    }
  },

  async 'keeps an effect that was committed before its time was up'(trial) {
    const { store, other, effects, committed } = await transactional(trial);
    const key = unique();
    let timeIsUp: () => unknown = nothing;
    const call = trial.call(store, key, async (tx, expire) => {
      timeIsUp = expire;
      await effects.write(tx, key);
    });
    await trial.handled(call, 'A run wrote an effect');
    timeIsUp();
    await trial.duplicate(other, key, 'An effect was committed before its time was up');
    await committed(key, 1, 'An effect was committed before its time was up');
  },
};
