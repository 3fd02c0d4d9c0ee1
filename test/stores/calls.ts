import { Deadline } from '../../src/handle/deadline.js';
import { onceOf } from '../../src/handle/once.js';
import { DELIVERY, type IdempotencyStore, type StoreWord } from '../../src/stores/store.js';

/** What a run of a test may use beside its transaction. */
export interface RunUses {
  /** Ends the time of the run, with this error. */
  readonly onTimeout: (error: Error) => void;
  readonly fencingToken: bigint | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: each store has its own type of transactions
type Tx = any;

/** Calls a store for one key as a receiver does. */
export async function once(
  store: object,
  key: string,
  run: (tx: Tx, uses: RunUses) => unknown,
  step = DELIVERY,
): Promise<StoreWord> {
  const [word] = await onceEach(store, [key], (_, tx, uses) => run(tx, uses), step);
  return word as StoreWord;
}

/** Calls a store for several keys as a receiver does. */
export async function onceEach(
  store: object,
  keys: readonly string[],
  run: (fresh: readonly string[], tx: Tx, uses: RunUses) => unknown,
  step = DELIVERY,
): Promise<StoreWord[]> {
  const limit = new Deadline(120_000);
  const onTimeout = (error: Error) => {
    limit.error ??= error as never;
    limit.expire();
  };
  const words = await onceOf(store as IdempotencyStore<Tx>)(
    keys,
    step,
    (fresh, tx) => {
      const tokens = [...fresh.values()].map(({ token }) => token).sort();
      return run([...fresh.keys()], tx, { onTimeout, fencingToken: tokens[0] }) as void | Promise<void>;
    },
    limit,
  );
  return keys.map((key) => words.get(key) as StoreWord);
}
