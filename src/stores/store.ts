import type { KeptLog, LogStore } from './log-store.js';
import type { KeyRecord, RecordStore, SomeRecord } from './record-store.js';

/** How long the stores and queues of this package remember a key by default, in ms: 7 days. */
export const DEFAULT_RETENTION_MS = 604_800_000;

/**
 * The answer of a store for a key. `handled`: the run was called with it and succeeded. `duplicate`: the key had taken
 * effect before. `in-progress`: another run has claimed it and has not finished. `unknown`: the transaction of an
 * earlier run ended without the store, so its effects may be incomplete. Nothing runs until you have settled the key.
 */
export type StoreWord = 'handled' | 'duplicate' | 'in-progress' | 'unknown';

/** The `context.tx` of a synchronous driver. Its handler must not return a promise. */
export type Synchronous<Connection> = Connection & { readonly [SYNCHRONOUS]: true };
declare const SYNCHRONOUS: unique symbol;

/** The result of a handler: any value, but with a synchronous transaction not a promise. */
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

/**
 * The change that a call makes to its keys: a delivery takes free keys, a retry takes dead letters. With `reorgs`, the
 * effect of a log is applied and reverted as its block joins and leaves the chain.
 */
export interface Step {
  readonly from: 'free' | 'dead' | 'applied' | 'reverted';
  /** With `applied` or `reverted`, keys that have no log, neither in `logs` nor in their row, become `done`. */
  readonly to: 'done' | 'applied' | 'reverted';
  /** The logs to keep, by key; from `free` and `dead`. */
  readonly logs?: ReadonlyMap<string, KeptLog> | undefined;
  /** Only from `applied` and `reverted`: the `transitions` that each row must still have. */
  readonly transitions?: ReadonlyMap<string, number> | undefined;
  /** What a claim writes beside its keys. */
  readonly records?: ReadonlyMap<string, KeyRecord> | undefined;
}

export const DELIVERY: Step = { from: 'free', to: 'done' };
export const RETRY: Step = { from: 'dead', to: 'done' };

/** A key that a claim got. */
export interface Claimed {
  /** A number that grows with each claim of the key, so that a handler can fence effects in other systems. */
  readonly token?: bigint | undefined;
  /** Whether the lease of an earlier run ended without a record or release, as when its process was killed. */
  readonly abandoned?: boolean | undefined;
}

/** The answer to the claim of a key: the claimed key, or why it was not claimed. */
export type ClaimAnswer = Claimed | Exclude<StoreWord, 'handled'>;

/** A failed run of one key, after it was rolled back or released, with the record that may have been rolled back too. */
export interface Failure extends SomeRecord {
  /** The event as a dead letter keeps it: JSON text. */
  readonly letter: string;
  /** Code and message of the error, at most 100 and 1000 characters. */
  readonly code: string;
  readonly message: string;
  /** The key becomes a dead letter when it has failed this often, counting this failure, and for at least `afterMs`. */
  readonly afterAttempts: number;
  /** Milliseconds since the first failure. */
  readonly afterMs: number;
  /** Whether the transaction of the run ended without the store: only a key that is `unknown` then becomes a dead letter. */
  readonly isUnknown: boolean;
  /** If an applied or reverted log failed to change: the `transitions` that its row must still have. */
  readonly transitions?: number | undefined;
}

/** The state of a key that has failed. Times are in epoch milliseconds. */
export interface Failed {
  readonly attempts: number;
  readonly firstFailedAt: number;
  readonly isDead: boolean;
}

/** A dead letter, as a store keeps it. Times are in epoch milliseconds. */
export interface StoredLetter extends Omit<Failed, 'isDead'>, Pick<Failure, 'letter' | 'source' | 'code' | 'message'> {
  readonly lastFailedAt: number;
  /** How often the log was applied or reverted: odd while it is applied; absent if its event has no log. */
  readonly transitions?: number | undefined;
}

/** Some dead letters, by their keys as the store writes them. */
export interface LetterPage {
  readonly letters: ReadonlyMap<string, StoredLetter>;
  /** Start of the next page; absent after the last letter. */
  readonly next?: string | undefined;
}

/**
 * Counts failed runs, and keeps dead letters. A dead letter holds its key: for a delivery, the key is a duplicate; only
 * a claim from `dead` gets it, and the key is then in progress for other claims. A run that fails or dies leaves the
 * letter; recording its effect removes the letter. Dead letters do not expire, and are never removed to make room.
 */
export interface LetterStore {
  /**
   * Counts a failure of a key in one atomic write, and makes the key a dead letter at the limits. A dead letter stays
   * one. Any other key is free again at once. Never waits for a key that another run has.
   *
   * @returns Undefined, and nothing has changed, if the key took effect or another run has it.
   */
  fail(key: string, failure: Failure): Promise<Failed | undefined>;
  /** Returns the dead letters among the keys. */
  look(keys: readonly string[]): Promise<ReadonlyMap<string, StoredLetter>>;
  /** Returns at most `limit` dead letters, of one source if given, in a stable order. */
  list(page: { source?: string | undefined; after?: string | undefined; limit: number }): Promise<LetterPage>;
  /** Removes dead letters that are not being retried; their keys count as done. Returns the removed keys. */
  discard(keys: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Optional members of all stores. A store that wraps another one passes them on. */
export interface StoreMemory {
  /** Reads the records of keys; absent if the store cannot. */
  readonly records?: RecordStore | undefined;
  /** Counts failed runs and keeps dead letters; absent if the store cannot. */
  readonly letters?: LetterStore | undefined;
  /** Keeps logs for `reorgs`; absent if the store cannot. */
  readonly logs?: LogStore | undefined;
  /**
   * Returns the time, in epoch milliseconds, since which the store knows every key that took effect; absent if the
   * store cannot tell. `reconcile` refuses older events.
   */
  rememberedSince?(): number;
  /** Records that the store still retries after `record` rejected. `drain` waits for them. */
  unrecorded?(): readonly Promise<unknown>[];
}

/**
 * Remembers in rows which idempotency keys have taken effect. It only keeps data: the receiver calls the handlers. A
 * key is claimed for `leaseMs` by an owner, a UUID that is used once; then another owner may take over. Write one with
 * `leasedStore` of `./stores/leased`, from three conditional writes.
 */
export interface LeaseStore extends StoreMemory {
  /** How long a claim lasts, in ms. Handlers get at most 0.9 of it, so that no running handler is taken over. */
  readonly leaseMs: number;
  /**
   * Claims the free keys that have not taken effect, each separately. Never waits for a held key.
   *
   * @param keys Unique idempotency keys, of arbitrary text.
   * @returns The answer for each key.
   * @throws Any error, if the outcome is unknown. The store then releases the keys that it may have claimed.
   */
  claim(keys: readonly string[], owner: string, step: Step): Promise<ReadonlyMap<string, ClaimAnswer>>;
  /**
   * Records that the keys took effect. Retries until the server answers, because a lost record would repeat effects.
   *
   * @returns Whether each key was recorded: not if another owner has taken it over.
   * @throws Any error, if it is unknown whether they were recorded. The store continues to retry where that can help.
   */
  record(keys: readonly string[], owner: string, step: Step): Promise<ReadonlyMap<string, boolean>>;
  /** Frees the keys that the owner still has. If the call fails, they are free once their lease is over. */
  release(keys: readonly string[], owner: string): Promise<unknown>;
}

/** The time of a run. */
export interface RunLimit {
  /** Aborted when the handler's time is over while it runs: its events have failed, with the reason as their error. */
  readonly signal: AbortSignal;
  /** When that time is over, in epoch milliseconds. */
  readonly deadline: number;
  /**
   * Reports an error that comes too late to fail the keys of the run: a write that was refused because the handler had
   * resolved. Absent if errors cannot be reported.
   */
  readonly report?: ((error: unknown) => void) | undefined;
}

/**
 * The work for the keys that a transaction got, in the order of the call. Returns no promise if the handler returned
 * none: a synchronous transaction then commits in that turn. If it throws or rejects, none of its writes may be kept.
 */
export type Run<Tx> = (fresh: ReadonlyMap<string, Claimed>, tx: Tx) => void | Promise<void>;

/** Runs handlers in a transaction that also records their keys: both are kept, or neither. */
export interface TransactionalStore<Tx> extends StoreMemory {
  /**
   * Claims the keys in sorted order, calls `run` with those that it got, records them, and commits. Never waits for a held
   * key while it has claimed others. If the process was frozen since the claim and the time is over, `run` throws without
   * calling the handler.
   *
   * @param keys Unique idempotency keys, of arbitrary text.
   * @param run Call it once, or again after its transaction was rolled back; not at all if no key is free.
   * @param limit Once its signal is aborted, the transaction must not commit.
   * @returns One word for each key.
   * @throws The error of `run`, which means that the transaction was rolled back; or the store's own error, after which it is
   * unknown whether it was committed. A store that refused to commit what the handler wrote throws a WebhookError with the
   * code `ERR_WEBHOOK_HANDLER`. If the transaction ended without the store, it throws one with the code
   * `ERR_WEBHOOK_OUTCOME_UNKNOWN`, whose cause is the error of `run`, and answers `unknown` from then on.
   */
  once(keys: readonly string[], step: Step, run: Run<Tx>, limit: RunLimit): Promise<ReadonlyMap<string, StoreWord>>;
  /** How many keys one run may get, if there is a limit; a receiver splits larger deliveries. */
  readonly keysPerRun?: number | undefined;
  /** How long a run can keep its keys, in ms, if there is a limit. A receiver gives its handlers at most 0.9 of it. */
  readonly leaseMs?: number | undefined;
}

/** Remembers which idempotency keys have taken effect: rows of leases, or transactions, which give handlers a `context.tx`. */
export type IdempotencyStore<Tx = undefined> = TransactionalStore<Tx> | (undefined extends Tx ? LeaseStore : never);
