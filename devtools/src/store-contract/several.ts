import type { IdempotencyStore } from 'event-webhook-receiver';
import { type Call, failing, isTransactional, type StoreWord, uniques, wordsOf } from './call.js';
import type { Cases, Trial } from './trial.js';
import { settles, sleep } from './waiting.js';
import { failure, LOST, NOT_ATOMIC, show, showKey, TWICE } from './words.js';

/** Expects one run with exactly these keys in this order. `delivery`: all keys of the call. */
export function ranWith(call: Call, keys: readonly string[], what: string, delivery = keys): void {
  // A transactional store may repeat the run, after a conflict with another transaction.
  const fresh = call.runs.at(-1);
  if (!fresh) throw failure(what, 'one call of run', 'none', LOST);
  if (fresh.length === keys.length && fresh.every((key, index) => key === keys[index])) return;
  const isOrdered = delivery.filter((key) => fresh.includes(key)).every((key, index) => key === fresh[index]);
  const isKnown = fresh.every((key) => delivery.includes(key));
  const meaning = !isKnown || !isOrdered ? UNKNOWN : fresh.length > keys.length ? TWICE : LOST;
  throw failure(
    `${what}, run gets the keys that it claimed, in the order of \`keys\``,
    show(keys),
    show(fresh),
    meaning,
  );
}

const UNKNOWN = 'the receiver cannot tell which events to handle, and answers 503';
const FIRST = 'A delivery with new events';

export const severalCases: Cases = {
  async 'runs once with all keys, in their order'(trial) {
    const [store, other] = await trial.replicas();
    const keys = uniques(20);
    const call = trial.call(store, keys);
    await trial.handled(call, FIRST);
    ranWith(call, keys, FIRST);
    await trial.duplicate(other, keys.toReversed(), 'A second replica gets a delivery again, in another order');
    await trial.duplicate(other, keys[7] as string, 'A second replica gets one event of a delivery again');
  },

  async 'runs only with the keys that have not taken effect'(trial) {
    const [store, other] = await trial.replicas();
    const [a, b, c, d] = uniques(4) as [string, string, string, string];
    await trial.handled(trial.call(store, b), 'The first call of a key');
    await trial.handled(trial.call(store, d), FIRST);
    const what = 'A delivery with new events and events that have taken effect';
    const call = trial.call(other, [d, c, b, a]);
    await trial.answers(call, ['duplicate', 'handled', 'duplicate', 'handled'], what);
    ranWith(call, [c, a], what, [d, c, b, a]);
  },

  async 'frees no key that it has not claimed when the run fails'(trial) {
    const [store, other] = await trial.replicas();
    const [done, held, fresh] = uniques(3) as [string, string, string];
    await trial.handled(trial.call(store, done), 'The first call of a key');
    const { call: holder, gate } = await trial.hold(other, held, 'The first call of a key');
    const failed = trial.call(store, [done, held, fresh], failing);
    const what = 'The run of a delivery failed, which contained an event that another run has claimed';
    // A database with one writer runs the call afterwards.
    if (await settles(failed.settled, 500)) await trial.refused(other, held, what);
    gate.open();
    await trial.handled(holder, 'A run succeeded, and that of a delivery with the same event failed');
    await trial.rethrows(failed, 'The run of a delivery failed');
    for (const key of [done, held]) {
      await trial.duplicate(other, key, 'The run of a delivery failed, which contained an event that has taken effect');
    }
    await trial.handled(trial.call(other, fresh), 'An event of a failed delivery is redelivered');
  },

  async 'runs with the free keys while others are held, and waits for none of them before'(trial) {
    const [store, other] = await trial.replicas();
    const [a, b, c, d] = uniques(4) as [string, string, string, string];
    const { call: first, gate } = await trial.hold(store, [b, a], FIRST);
    const what = 'A delivery with new events and events that another run has claimed';
    const second = trial.call(other, [d, a, c, b]);
    // A database with one writer runs the call afterwards.
    const answered = await settles(second.started, isTransactional(store) ? 500 : 10_000);
    if (!answered && !isTransactional(store)) {
      throw failure(what, 'a run with the free keys', 'none within 10 s', WAITS);
    }
    if (answered) ranWith(second, [d, c], what, [d, a, c, b]);
    const isAnswered = answered && (await settles(second.settled, 500));
    if (isAnswered) await trial.answers(second, ['handled', 'in-progress', 'handled', 'in-progress'], what);
    gate.open();
    await trial.handled(first, 'The run that had claimed its keys first');
    // A call without an answer so far may have waited, or may be slow.
    const outcome = await trial.settled(second, what);
    const isRefused = wordsOf(outcome).includes('in-progress');
    const word: StoreWord = isRefused ? 'in-progress' : 'duplicate';
    await trial.answers(second, ['handled', word, 'handled', word], what);
    ranWith(second, [d, c], what, [d, a, c, b]);
    await trial.duplicate(other, [a, b, c, d], 'Both deliveries took effect');
  },

  async 'runs no key twice in overlapping deliveries, whatever their order'(trial) {
    const [store, other] = await trial.replicas();
    const keys = uniques(30);
    const effects = await overlap(trial, [store, other], keys);
    const what = 'Deliveries with the same events in different orders compete';
    for (const key of keys) {
      const count = await effects(key);
      const each = `${what}: ${showKey(key)}`;
      if (count > 1) throw failure(each, 'one effect', `${count}`, TWICE, NOT_ATOMIC);
      if (count < 1) throw failure(each, 'one effect', 'none', LOST);
    }
  },

  async 'takes a thousand keys'(trial) {
    const [store, other] = await trial.replicas();
    const keys = uniques(1000);
    for (const part of partsOf(store, keys.slice(0, 500))) {
      await trial.handled(trial.call(store, part), 'A delivery of 500 events');
    }
    const expected = keys.map((_, at): StoreWord => (at < 500 ? 'duplicate' : 'handled'));
    for (const part of partsOf(other, keys)) {
      const words = expected.splice(0, part.length);
      await trial.answers(trial.call(other, part), words, 'A delivery of 1000 events, the half of them new');
    }
  },
};

/** Splits the keys as a receiver does for a store with `keysPerRun`. */
export function partsOf<Tx>(store: IdempotencyStore<Tx>, keys: readonly string[]): string[][] {
  const { keysPerRun } = store as { readonly keysPerRun?: number };
  const size = keysPerRun ?? keys.length;
  return Array.from({ length: Math.ceil(keys.length / size) }, (_, at) => keys.slice(at * size, (at + 1) * size));
}

const WAITS = 'two overlapping deliveries wait for each other forever, or until they time out';

/** Sends overlapping deliveries until each is answered, and returns a function that counts the effects of a key. */
async function overlap<Tx>(trial: Trial<Tx>, stores: Awaited<ReturnType<Trial<Tx>['replicas']>>, keys: string[]) {
  const hasEffects = isTransactional(stores[0]);
  const written: string[] = [];
  const deliveries = Array.from({ length: 12 }, (_, index) => {
    const part = [...keys.slice(index), ...keys.slice(0, index)].slice(0, 20);
    return index % 2 ? part.toReversed() : part;
  });
  const isOver = ({ answer }: { answer: unknown }) => Array.isArray(answer) && !answer.includes('in-progress');
  await Promise.all(
    deliveries.map(async (delivery, index) => {
      const end = Date.now() + 20_000;
      for (;;) {
        const call = trial.call(stores[index % 3 ? 0 : 1], delivery, async (tx, _expire, fresh) => {
          if (!hasEffects) await sleep(2);
          for (const key of fresh) await (hasEffects ? trial.effects.write(tx, key) : written.push(key));
        });
        const what = 'A delivery overlaps with others';
        const outcome = await trial.settled(call, what);
        if ('answer' in outcome && isOver(outcome)) return;
        if (Date.now() > end) throw failure(what, 'all of its events to take effect', outcome, WAITS);
        await sleep(10);
      }
    }),
  );
  const count = (key: string) => written.filter((each) => each === key).length;
  return async (key: string): Promise<number> => (hasEffects ? trial.effectsOf(key) : count(key));
}
