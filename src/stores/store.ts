/** How long the stores and queues of this package remember a key by default, in ms: 7 days. */
export const DEFAULT_RETENTION_MS = 604_800_000;

/**
 * The answer of a store for a key. `handled`: the run was called with it and succeeded. `duplicate`: it had taken effect before.
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

/** The change that a call makes to its keys: of a delivery, from keys that nobody has; of a retry, from dead letters. */
export interface Step {
  readonly from: 'free' | 'dead';
  readonly to: 'done';
}

export const DELIVERY: Step = { from: 'free', to: 'done' };
export const RETRY: Step = { from: 'dead', to: 'done' };

/** What a claim tells of a key that it got. */
export interface Claimed {
  /** A number that grows with each claim of the key, so that a handler can fence effects in other systems. */
  readonly token?: bigint | undefined;
  /** Whether the lease of an earlier run ended without its record or release, as when its process was killed. */
  readonly abandoned?: boolean | undefined;
}

/** The answer to the claim of a key: what was claimed, or why it was not. */
export type ClaimAnswer = Claimed | Exclude<StoreWord, 'handled'>;

/** A run of one key that failed, after it was rolled back or released. */
export interface Failure {
  /** What a dead letter keeps of the event: JSON text. */
  readonly letter: string;
  readonly source?: string | undefined;
  /** Code and message of the error, at most 100 and 1000 characters. */
  readonly code: string;
  readonly message: string;
  /** The key becomes a dead letter when it has failed this often, counting this failure, and for at least `afterMs`. */
  readonly afterAttempts: number;
  /** Milliseconds since the first failure. */
  readonly afterMs: number;
  /** Whether the transaction of the run ended without the store: only a key that is `unknown` then becomes a dead letter. */
  readonly isUnknown: boolean;
}

/** What a store knows of a key that has failed. Times are in epoch milliseconds. */
export interface Failed {
  readonly attempts: number;
  readonly firstFailedAt: number;
  readonly isDead: boolean;
}

/** A dead letter, as a store keeps it. Times are in epoch milliseconds. */
export interface StoredLetter extends Omit<Failed, 'isDead'>, Pick<Failure, 'letter' | 'source' | 'code' | 'message'> {
  readonly lastFailedAt: number;
}

/** Some dead letters, by their keys as the store writes them. */
export interface LetterPage {
  readonly letters: ReadonlyMap<string, StoredLetter>;
  /** Where the next page begins; absent after the last letter. */
  readonly next?: string | undefined;
}

/**
 * Counts failed runs, and keeps dead letters. A dead letter holds its key: a claim of a delivery finds a duplicate, and only
 * a claim from `dead` gets it, which others then find in progress. A run that fails or dies leaves the letter; its record
 * removes it. Dead letters do not expire, and are never removed to make room.
 */
export interface LetterStore {
  /**
   * Counts a failure of a key in one atomic write, and makes the key a dead letter at the limits. One that is a dead letter
   * stays it. Otherwise the key is free again at once. Never waits for a key that another run has.
   *
   * @returns Undefined, and nothing has changed, if the key took effect or another run has it.
   */
  fail(key: string, failure: Failure): Promise<Failed | undefined>;
  /** Returns those of the keys that are dead letters. */
  look(keys: readonly string[]): Promise<ReadonlyMap<string, StoredLetter>>;
  /** Returns at most `limit` dead letters, of one source if it is given, in an order that does not change. */
  list(page: { source?: string | undefined; after?: string | undefined; limit: number }): Promise<LetterPage>;
  /** Removes dead letters that nobody retries at the moment; their keys count as done. Returns which it has removed. */
  discard(keys: readonly string[]): Promise<ReadonlySet<string>>;
}

/** What all stores may tell. A store that wraps another one passes it on. */
export interface StoreMemory {
  /** Counts failed runs and keeps dead letters; absent if the store cannot. */
  readonly letters?: LetterStore | undefined;
  /**
   * Returns since when the store still knows every key that took effect, in epoch milliseconds; absent if it cannot tell.
   * `reconcile` refuses events that are older.
   */
  rememberedSince?(): number;
  /** Records that the store still retries after `record` rejected. `drain` waits for them. */
  unrecorded?(): readonly Promise<unknown>[];
}

/**
 * Remembers in rows which idempotency keys have taken effect. It is data: nobody but the receiver calls a handler. A key is
 * claimed for `leaseMs` by an owner, a UUID that is used once; then another owner may take over. Write one with `leasedStore`
 * of `./stores/leased`, from three conditional writes.
 */
export interface LeaseStore extends StoreMemory {
  /** How long a claim lasts, in ms. A receiver gives its handlers at most 0.9 of it, so that nobody takes over a live one. */
  readonly leaseMs: number;
  /**
   * Claims the keys that nobody has and that have not taken effect, each for itself. Never waits for a held key.
   *
   * @param keys Unique idempotency keys, of arbitrary text.
   * @returns The answer for each key.
   * @throws Any error, if it is unknown what happened. The store then releases what it may have claimed.
   */
  claim(keys: readonly string[], owner: string, step: Step): Promise<ReadonlyMap<string, ClaimAnswer>>;
  /**
   * Records that the keys took effect. Tries again until the server has answered, because a lost record would repeat effects.
   *
   * @returns Whether each key was recorded: not if another owner has taken it over.
   * @throws Any error, if it is unknown whether they were recorded. The store goes on trying where that can help.
   */
  record(keys: readonly string[], owner: string, step: Step): Promise<ReadonlyMap<string, boolean>>;
  /** Frees the keys that the owner still has. If it fails, they are free once their lease is over. */
  release(keys: readonly string[], owner: string): Promise<unknown>;
}

/** The time of a run. */
export interface RunLimit {
  /** Aborted when the handler's time is over and it still runs: its events have failed. The reason is its error. */
  readonly signal: AbortSignal;
  /** When that time is over, in epoch milliseconds. */
  readonly deadline: number;
  /**
   * Reports an error of the keys that the run got, which comes too late to fail them: a write that was refused because the
   * handler had resolved. Absent if there is nobody to tell.
   */
  readonly report?: ((error: unknown) => void) | undefined;
}

/**
 * The work for the keys that a transaction got, in the order of the call. Returns no promise if the handler has returned:
 * a synchronous transaction then commits in that turn. If it throws or rejects, it has failed, and nothing may be kept of it.
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
