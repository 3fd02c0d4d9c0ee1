import type { IdempotencyStore, LeaseStore, TransactionalStore } from 'event-webhook-receiver';
import { createGate } from './waiting.js';

type Once<Tx> = TransactionalStore<Tx>['once'];
type Words = Awaited<ReturnType<Once<unknown>>>;
export type StoreWord = Words extends ReadonlyMap<string, infer Word> ? Word : never;

/** The outcome of a call: the words for its keys in order, or an error. */
export type Outcome = { readonly answer: unknown } | { readonly error: unknown };

/** The words of an outcome; none of an error. */
export const wordsOf = (outcome: Outcome | undefined): readonly unknown[] =>
  outcome && 'answer' in outcome ? [outcome.answer].flat() : [];

/** One key, or the keys of a delivery. */
export type Keys = string | readonly string[];

/** The work of a run in the suite. `expire` ends the run's time. `fresh` has the keys that the store passed to it. */
export type Work<Tx> = (tx: Tx, expire: () => void, fresh: readonly string[]) => unknown;

/** A call of a store, and what the store has done for it so far. */
export type Call = ReturnType<typeof callStore>;

type Step = Parameters<Once<unknown>>[1];
const DELIVERY: Step = { from: 'free', to: 'done' };
export const RETRY: Step = { from: 'dead', to: 'done' };
/** Longer than every case takes, in ms. */
const LIMIT_MS = 120_000;
/** The message of the reason with which the signal is aborted. */
export const TIMED_OUT = 'The handler took longer than its limit.';

export const isTransactional = <Tx>(store: IdempotencyStore<Tx>): store is TransactionalStore<Tx> =>
  'once' in store && typeof store.once === 'function';

/** Calls a store as a receiver does. */
export function callStore<Tx>(store: IdempotencyStore<Tx>, asked: Keys, work: Work<Tx>, step = DELIVERY) {
  const keys: readonly string[] = [asked].flat();
  const runs: (readonly string[])[] = [];
  const { passed: started, open } = createGate();
  const controller = new AbortController();
  const run: Parameters<Once<Tx>>[2] = (claimed, tx) => {
    const fresh = [...claimed.keys()];
    runs.push(fresh);
    open();
    // If `work` throws synchronously, or returns no promise, so does the run.
    const working = work(tx, () => controller.abort(new Error(TIMED_OUT)), fresh);
    if (!(working instanceof Promise)) return undefined;
    const running = working.then(nothing);
    running.catch(nothing); // The store may not await the run.
    return running;
  };
  const limit = { signal: controller.signal, deadline: Date.now() + LIMIT_MS };
  let outcome: Outcome | undefined;
  const note = (settled: Outcome) => {
    outcome = settled;
    return settled;
  };
  // The store may throw synchronously.
  const settled = (async () => {
    const words = isTransactional(store)
      ? await store.once(keys, step, run, limit)
      : await claimAndRun(store, keys, step, (claimed) => run(claimed, undefined as Tx));
    return typeof words?.get === 'function' ? keys.map((key) => words.get(key)) : words;
  })().then(
    (answer) => note({ answer }),
    (error: unknown) => note({ error }),
  );
  return {
    keys,
    /** The keys of each run. */
    runs,
    /** Resolves when the first run starts. */
    started,
    settled,
    get outcome(): Outcome | undefined {
      return outcome;
    },
  };
}

type Claimed = Parameters<Parameters<Once<undefined>>[2]>[0];

async function claimAndRun(store: LeaseStore, keys: readonly string[], step: Step, run: (claimed: Claimed) => unknown) {
  const owner = crypto.randomUUID();
  const answers = await store.claim(keys, owner, step);
  const isClaimed = (key: string) => typeof (answers.get(key) ?? '') === 'object';
  const claimed = keys.filter(isClaimed);
  const words = new Map(keys.map((key) => [key, isClaimed(key) ? 'handled' : answers.get(key)]));
  if (claimed.length === 0) return words;
  try {
    await run(new Map(claimed.map((key) => [key, answers.get(key) as object])));
  } catch (error) {
    await store.release(claimed, owner).catch(nothing);
    throw error;
  }
  const recorded = await store.record(claimed, owner, step);
  if (claimed.every((key) => recorded.get(key) === true)) return words;
  throw new Error('The store did not record all keys of the run: another run has taken one over.');
}

/** The error of each failing run of the suite. */
export const RUN_FAILED = 'The run failed.';

export const throwing = (): never => {
  throw new Error(RUN_FAILED);
};

export const failing = async (): Promise<never> => throwing();

export const nothing = (): void => {};

export const unique = (): string => crypto.randomUUID();

export const uniques = (count: number): string[] => Array.from({ length: count }, unique);
