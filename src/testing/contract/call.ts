import type { IdempotencyStore, RunOptions, StoreWord } from '../../stores/store.js';
import { createGate } from './waiting.js';
import type { Outcome } from './words.js';

/** What a run of the suite does. `fresh`: the keys that `onceEach` passed to it. */
export type Work<Tx> = (tx: Tx, options: RunOptions | undefined, fresh: readonly string[]) => unknown;

type Run = (work: () => unknown, fresh: readonly string[]) => Promise<void>;

/** A call of `once` or `onceEach`, and what the store has done with it until now. */
export class Call {
  readonly method: 'once' | 'onceEach';
  readonly keys: readonly string[];
  /** Whether the store may repeat a run, after a conflict with another transaction. */
  readonly mayRepeat: boolean;
  /** How often the store has called `run`. */
  runs = 0;
  /** The keys of each run. */
  readonly fresh: (readonly string[])[] = [];
  /** How the call settled, once it has. */
  outcome: Outcome | undefined;
  /** Resolves when the first run starts. */
  readonly started: Promise<void>;
  /** Resolves when the call has settled. */
  readonly settled: Promise<Outcome>;

  constructor(
    method: Call['method'],
    keys: readonly string[],
    mayRepeat: boolean,
    begin: (run: Run) => Promise<unknown>,
  ) {
    this.method = method;
    this.keys = keys;
    this.mayRepeat = mayRepeat;
    const { passed, open } = createGate();
    this.started = passed;
    const run: Run = (work, fresh) => {
      this.runs++;
      this.fresh.push(fresh);
      open();
      // What `work` throws at once, the run throws at once.
      const running = Promise.resolve(work()).then(nothing);
      running.catch(nothing); // The store may not wait for it.
      return running;
    };
    const note = (outcome: Outcome) => {
      this.outcome = outcome;
      return outcome;
    };
    // The store may throw at once.
    this.settled = (async () => begin(run))().then(
      (answer) => note({ answer }),
      (error: unknown) => note({ error }),
    );
  }
}

export function callOnce<Tx>(store: IdempotencyStore<Tx>, key: string, work: Work<Tx>): Call {
  const begin = (run: Run) => store.once(key, (tx, options) => run(() => work(tx as Tx, options, [key]), [key]));
  return new Call('once', [key], store.transactional === true, begin);
}

export function callEach<Tx>(store: IdempotencyStore<Tx>, keys: readonly string[], work: Work<Tx>): Call {
  const begin = async (run: Run) =>
    store.onceEach?.(keys, (fresh, tx, options) => run(() => work(tx as Tx, options, fresh), fresh));
  return new Call('onceEach', keys, store.transactional === true, begin);
}

export const nothing = (): void => {};

export const repeat = (count: number, word: StoreWord): StoreWord[] => Array.from({ length: count }, () => word);

export const unique = (): string => crypto.randomUUID();

export const uniques = (count: number): string[] => Array.from({ length: count }, unique);
