import { Deadline } from '../../handle/deadline.js';
import { isTransactional, onceOf } from '../../handle/ground.js';
import type { IdempotencyStore, StoreWord } from '../../stores/store.js';
import { createGate } from './waiting.js';
import type { Outcome } from './words.js';

/** What a run of the suite does. `expire`: ends its time. `fresh`: the keys that the store passed to it. */
export type Work<Tx> = (tx: Tx, expire: () => Error, fresh: readonly string[]) => unknown;

const DELIVERY = { from: 'free', to: 'done' } as const;
/** Longer than any case. */
const LIMIT_MS = 120_000;

/** A call for one key or several, and what the store has done with it until now. */
export class Call {
  readonly keys: readonly string[];
  /** Whether the store may repeat a run, after a conflict with another transaction. */
  readonly mayRepeat: boolean;
  /** How often the store has called `run`. */
  runs = 0;
  /** The keys of each run. */
  readonly fresh: (readonly string[])[] = [];
  /** How the call settled, once it has: with the word for its key, or those for its keys in their order. */
  outcome: Outcome | undefined;
  /** Resolves when the first run starts. */
  readonly started: Promise<void>;
  /** Resolves when the call has settled. */
  readonly settled: Promise<Outcome>;

  constructor(keys: readonly string[], mayRepeat: boolean, begin: (call: Call, open: () => void) => Promise<unknown>) {
    this.keys = keys;
    this.mayRepeat = mayRepeat;
    const { passed, open } = createGate();
    this.started = passed;
    const note = (outcome: Outcome) => {
      this.outcome = outcome;
      return outcome;
    };
    // The store may throw at once.
    this.settled = (async () => begin(this, open))().then(
      (answer) => note({ answer }),
      (error: unknown) => note({ error }),
    );
  }
}

/** Calls a store as a receiver does. A lease store is called by what calls it there. */
export function callStore<Tx>(store: IdempotencyStore<Tx>, asked: string | readonly string[], work: Work<Tx>): Call {
  const keys = typeof asked === 'string' ? [asked] : asked;
  return new Call(keys, isTransactional(store), async (call, open) => {
    const limit = new Deadline(LIMIT_MS);
    const run = (claimed: ReadonlyMap<string, unknown>, tx: Tx) => {
      const fresh = [...claimed.keys()];
      call.runs++;
      call.fresh.push(fresh);
      open();
      // What `work` throws at once, the run throws at once.
      const running = Promise.resolve(work(tx, () => limit.expire(), fresh)).then(nothing);
      running.catch(nothing); // The store may not wait for it.
      return running;
    };
    const words = await onceOf(store)(keys, DELIVERY, run, limit);
    if (typeof words?.get !== 'function') return words;
    return typeof asked === 'string' ? words.get(asked) : keys.map((key) => words.get(key));
  });
}

export const nothing = (): void => {};

export const repeat = (count: number, word: StoreWord): StoreWord[] => Array.from({ length: count }, () => word);

export const unique = (): string => crypto.randomUUID();

export const uniques = (count: number): string[] => Array.from({ length: count }, unique);
