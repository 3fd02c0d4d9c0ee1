/** How long the stores and queues of this package remember a key by default, in ms: 7 days. */
export const DEFAULT_RETENTION_MS = 604_800_000;

/**
 * The answer of a store for a key. `handled`: the run was called with it and resolved. `duplicate`: it had taken effect before.
 * `in-progress`: another run has claimed it and has not finished. `unknown`: the transaction of an earlier run ended without
 * the store, so its effects may be incomplete. Nothing runs until somebody has settled the key.
 */
export type StoreWord = 'handled' | 'duplicate' | 'in-progress' | 'unknown';

/** The `context.tx` of a synchronous driver. Its handler must not return a promise. */
export type Synchronous<Connection> = Connection & { readonly [SYNCHRONOUS]: true };
declare const SYNCHRONOUS: unique symbol;

/** What a handler may return: anything, but with a synchronous transaction not a promise. */
export type HandlerResult<Tx> = undefined extends Tx
  ? unknown
  : [Tx] extends [{ readonly [SYNCHRONOUS]: true }]
    ? NotPromise
    : unknown;
type NotPromise =
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler without a return statement
  | void
  | undefined
  | null
  | boolean
  | number
  | bigint
  | string
  | (object & { readonly then?: 'The handler of a synchronous transaction must not return a promise' });

/** The transaction that a store passes to `run`. A store without transactions may omit it: `run()`. */
// biome-ignore lint/suspicious/noConfusingVoidType: TypeScript lets callers omit an argument of a type that includes void
export type RunTransaction<Tx> = Tx | (Tx extends undefined ? void : never);

/** Options that a store passes to `run`. */
export interface RunOptions {
  /** Called when the handler times out while it still runs. Its event has failed. */
  readonly onTimeout?: ((error: Error) => void) | undefined;
  /** Returns the remaining time of the lease, in ms. A handler that needs more is not started. */
  readonly remainingMs?: (() => number) | undefined;
  /**
   * For a transaction that must end in the synchronous turn in which `run` is called. Called in that turn: without an
   * argument when the handler has returned, with an error when it threw or returned a promise. If it throws, the event fails
   * with that error.
   */
  readonly onReturn?: ((error?: Error) => void) | undefined;
  /**
   * A number that grows with each claim of a key, so that the handler can fence effects in other systems. For several keys
   * the smallest of their numbers.
   */
  readonly fencingToken?: bigint | undefined;
}

/**
 * Remembers which idempotency keys have taken effect. `run` succeeds at most once per key, a failed run can be tried again,
 * and another process takes over the key of a holder that died. Claim, run and record are one method, so that each store
 * decides how it claims a key and how it commits. A store that wraps another one passes on all other members and the
 * arguments of `run`.
 */
export interface IdempotencyStore<Tx = undefined> {
  /**
   * How long a run that does not settle keeps its key, in ms; absent if it keeps the key for as long as it runs. A receiver
   * gives its handlers at most 0.9 of it, so that nobody takes over the key of a live handler.
   */
  readonly leaseMs?: number | undefined;
  /**
   * Claims the key, runs the work, and records that the key took effect. A lease store checks the clock in the synchronous
   * turn in which it calls `run`, because the process may have been frozen since the claim was answered.
   *
   * @param key The idempotency key. Any string.
   * @param run The work; call it at most once, or if `transactional` again after a conflict. A store with transactions
   * passes the open transaction; others call `run()`. If it rejects, it took no effect and may be tried again. It settles
   * when the handler does, even after the timeout: until then the key stays claimed, for as long as its lease lasts. A store
   * that can undo the effect passes `onTimeout` instead, rolls back and frees the key.
   * @returns `handled` if `run` was called and resolved; `duplicate` if the key had taken effect before; `in-progress` if
   * another run has claimed the key and has not finished; `unknown` if the transaction of an earlier run ended without the
   * store.
   * @throws The error of `run`, which from a transactional store means that it rolled back; or the store's own error, after
   * which it is unknown whether the key was recorded. A transactional store that refused to commit what the handler wrote
   * throws a WebhookError with the code `ERR_WEBHOOK_HANDLER`. If the transaction ended without the store, it throws one with
   * the code `ERR_WEBHOOK_OUTCOME_UNKNOWN`, whose cause is the error of `run`, and answers `unknown` from then on.
   */
  once(key: string, run: (tx: RunTransaction<Tx>, options?: RunOptions) => Promise<void>): Promise<StoreWord>;
  /**
   * Like `once` for the events of a delivery at once: claims all keys, calls `run` at most once with those that it got, and
   * records them together. It never waits for a key that another run has claimed while it has claimed others itself.
   *
   * @param keys Unique idempotency keys.
   * @param run The work, which gets the claimed keys in the order of `keys`. Not called if there are none.
   * @returns One word for each key, in the order of `keys`.
   * @throws As `once`.
   */
  onceEach?(
    keys: readonly string[],
    run: (fresh: readonly string[], tx: RunTransaction<Tx>, options?: RunOptions) => Promise<void>,
  ): Promise<readonly StoreWord[]>;
  /**
   * How many keys `onceEach` claims for one run, if there is a limit; it answers `in-progress` for the others. A receiver
   * splits larger deliveries.
   */
  readonly keysPerRun?: number | undefined;
  /**
   * Whether `run` writes in the store's transaction, so that a run that was not committed left nothing behind. Then the store
   * may call `run` again after a conflict with another transaction, and a receiver whose `onEvents` failed tries halves of
   * the events.
   */
  readonly transactional?: boolean | undefined;
  /** Records of successful runs that the store still retries after `once` rejected. `drain` waits for them. */
  unrecorded?(): readonly Promise<unknown>[];
  /**
   * Returns since when the store still knows every key that took effect, in epoch milliseconds; absent if it cannot tell.
   * `reconcile` refuses events that are older.
   */
  rememberedSince?(): number;
}
