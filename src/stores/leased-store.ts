import { checkNumber, MAX_TIMER_MS } from '../internal/check-options.js';
import { stopwatch, withDeadline } from '../internal/deadline.js';
import { boundedCalls, type CallLimits, storeError } from './bounded-calls.js';
import { createRecorder } from './recorder.js';
import { storableKey } from './storable-key.js';
import { DEFAULT_RETENTION_MS, type IdempotencyStore, type RunOptions, type StoreWord } from './store.js';

/** Options that all lease stores share. */
export interface LeaseOptions {
  /**
   * How long a run that does not settle keeps its key, in ms; then another run may take over. Handlers get at most 0.9 of
   * it, and less if it is below 2500. (Default: 60 000.)
   */
  readonly leaseMs?: number | undefined;
  /**
   * How long a key is remembered after it took effect, in ms. Must exceed the time during which the sender retries.
   * (Default: 7 days.)
   */
  readonly retentionMs?: number | undefined;
  /**
   * How long the server may take to answer each call, in ms; then the event fails, to be redelivered. The record of an
   * effect is retried. (Default: 5000.)
   */
  readonly timeoutMs?: number | undefined;
}

export const LEASE_OPTIONS = ['leaseMs', 'retentionMs', 'timeoutMs'] as const satisfies (keyof LeaseOptions)[];

/**
 * The answer to a claim of a key. A bigint means claimed, with this fencing token. `unknown`: the effects of an earlier run
 * may be incomplete, and somebody has to settle the key.
 */
export type Claim = 'claimed' | bigint | 'duplicate' | 'in-progress' | 'unknown';

/** Keys with their owners, on a server. The keys of a call are unique; each of them is one atomic step there. */
export interface LeaseTable {
  /** Gives the keys that nobody has and that have not taken effect to `owner`, for `leaseMs`. Never waits for a held key. */
  claim(keys: readonly string[], owner: string): Promise<ReadonlyMap<string, Claim>>;
  /**
   * Records for `retentionMs` that the keys took effect. Resolves to those that no other owner has, or to an error that no
   * other try would change.
   */
  complete(keys: readonly string[], owner: string): Promise<ReadonlySet<string> | Error>;
  /** Frees the keys that `owner` still has. */
  release(keys: readonly string[], owner: string): Promise<unknown>;
}

/** What a lease store passes to a run: its owner as well, so that a store over it can commit under the lease. */
export type LeaseRunOptions = RunOptions & { readonly owner: string };

/** The methods of a lease store. */
interface LeasedStore extends Required<Pick<IdempotencyStore, 'leaseMs' | 'unrecorded' | 'rememberedSince'>> {
  once(name: string, run: (tx: undefined, options: LeaseRunOptions) => Promise<void>): Promise<StoreWord>;
  onceEach(names: readonly string[], run: RunEach): Promise<StoreWord[]>;
}

/** Applies the defaults. Throws ConfigError for a number out of range. */
export function resolveLeaseOptions(options: LeaseOptions): Required<{ [K in keyof LeaseOptions]: number }> {
  const { leaseMs = 60_000, retentionMs = DEFAULT_RETENTION_MS, timeoutMs = 5000 } = options;
  checkNumber('leaseMs', leaseMs, 1, MAX_TIMER_MS);
  checkNumber('retentionMs', retentionMs, 1);
  checkNumber('timeoutMs', timeoutMs, 1, MAX_TIMER_MS);
  return { leaseMs, retentionMs, timeoutMs };
}

/**
 * A store over a table of leases. Each claim has its own owner, so that a run whose lease expired can neither complete nor
 * release a key that another run has taken over. No run starts if its claim was answered too late to leave 0.9 of the
 * lease, on the monotonic or the wall clock.
 */
export function leasedStore(
  table: LeaseTable,
  options: ReturnType<typeof resolveLeaseOptions>,
  limits: Omit<CallLimits, 'timeoutMs'> = {},
): LeasedStore {
  const { leaseMs, retentionMs, timeoutMs } = options;
  const calls = boundedCalls({ timeoutMs, ...limits });
  /** Errors of owners whose keys cannot be recorded. */
  const failures = new Map<string, Error>();
  const recorder = createRecorder(async (keys, owner) => {
    const recorded = await calls.send(() => table.complete(keys, owner));
    if (!(recorded instanceof Error)) return recorded;
    failures.set(owner, recorded);
    return NO_KEYS;
  }, options);

  const late = () => storeError('The server did not answer in time (timeoutMs; for a claim also a tenth of leaseMs).');
  const inTime = <T>(work: Promise<T>) => withDeadline(work, timeoutMs, late);
  // A lease begins before its claim is answered. A handler gets 0.9 of it, so the answer may take up to 0.1.
  const claimMs = Math.min(timeoutMs, Math.max(leaseMs / 10, Math.min(250, 0.8 * leaseMs)));

  /** Claims the keys, passes the claims to `run` if there are any, and records those keys. */
  async function hold(
    keys: readonly string[],
    run: (claims: Claims, runOptions: LeaseRunOptions) => Promise<void>,
  ): Promise<Claims> {
    const owner = crypto.randomUUID();
    const release = async () => calls.send(() => table.release(keys, owner));
    const elapsed = stopwatch();
    const claiming = calls.send(() => table.claim(keys, owner));
    let isAnswered = true;
    const unanswered = () => {
      isAnswered = false;
      return late();
    };
    let claims: Claims;
    let fresh: readonly string[];
    try {
      claims = await withDeadline(claiming, claimMs, unanswered);
      fresh = keys.filter((key) => isFresh(claims.get(key)));
      if (fresh.length === 0) return claims;
      // A frozen process may read the answer before the timer fires. Nothing is awaited between here and the run. The
      // comparison is negated so that a clock that returns NaN fails, too.
      if (!(elapsed() <= claimMs)) throw late();
    } catch (error) {
      // The server may have made the claim, or may still make it, and would block the keys for a whole lease.
      const released = claiming.then(release, release).catch(ignore);
      // Serverless hosts stop a request's work once it is answered.
      if (isAnswered) await inTime(released).catch(ignore);
      throw error;
    }
    try {
      await run(claims, { owner, fencingToken: leastToken(claims), remainingMs: () => leaseMs - elapsed() });
    } catch (error) {
      // If the server does not get this, the lease expires by itself.
      await inTime(release()).catch(ignore);
      throw error;
    }
    try {
      await recorder.record(fresh, owner);
    } catch (error) {
      throw failures.get(owner) ?? error;
    } finally {
      failures.delete(owner);
    }
    return claims;
  }

  async function onceEach(names: readonly string[], run: RunEach): Promise<StoreWord[]> {
    const keys = names.map(storableKey);
    let failure: unknown;
    // Waited for from the beginning, so that a long run does not prolong it.
    const pending = keys.map((key) => {
      return recorder.pending(key)?.then(duplicate, (error) => {
        failure = error;
        return 'in-progress' as const;
      });
    });
    const free = keys.filter((_, index) => pending[index] === undefined);
    let isRun = false;
    const claims =
      free.length > 0
        ? await hold(free, (claimed, runOptions) => {
            isRun = true;
            return run(
              names.filter((_, index) => isFresh(claimed.get(keys[index] as string))),
              undefined,
              runOptions,
            );
          })
        : NO_CLAIMS;
    const words: StoreWord[] = [];
    for (const [index, key] of keys.entries()) words.push((await pending[index]) ?? wordFor(claims.get(key)));
    // What was run has been recorded, and must not fail with the record of another run.
    if (failure !== undefined && !isRun) throw failure;
    return words;
  }

  return {
    // If the lease is so short that its claim may take more than 0.1 of it, handlers get 0.9 of the rest.
    leaseMs: claimMs > leaseMs / 10 ? (leaseMs - claimMs) / 0.9 : leaseMs,
    unrecorded: recorder.unrecorded,
    rememberedSince: () => Date.now() - retentionMs,
    onceEach,
    async once(name, run) {
      const key = storableKey(name);
      const recording = recorder.pending(key);
      if (recording) return recording.then(duplicate);
      const claims = await hold([key], (_, runOptions) => run(undefined, runOptions));
      return wordFor(claims.get(key));
    },
  };
}

type Claims = ReadonlyMap<string, Claim>;
type RunEach = (fresh: readonly string[], tx: undefined, options: LeaseRunOptions) => Promise<void>;

const NO_CLAIMS: Claims = new Map();
const NO_KEYS: ReadonlySet<string> = new Set();

function isFresh(claim: Claim | undefined): boolean {
  return claim === 'claimed' || typeof claim === 'bigint';
}

function wordFor(claim: Claim | undefined): StoreWord {
  if (isFresh(claim)) return 'handled';
  return claim === 'duplicate' || claim === 'unknown' ? claim : 'in-progress';
}

/** The smallest token of the claims: an effect that is fenced with it never counts as newer than one of its keys. */
function leastToken(claims: Claims): bigint | undefined {
  let least: bigint | undefined;
  for (const claim of claims.values()) {
    if (typeof claim === 'bigint' && (least === undefined || claim < least)) least = claim;
  }
  return least;
}

function duplicate(): StoreWord {
  return 'duplicate';
}

function ignore(): void {}
