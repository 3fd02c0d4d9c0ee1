import { checkNumber, MAX_TIMER_MS } from '../internal/check-options.js';
import { withDeadline } from '../internal/time.js';
import { boundedCalls, type CallLimits, storeError } from './bounded-calls.js';
import type { RecordStore } from './record-store.js';
import { createRecorder } from './recorder.js';
import { named, storableKey, storableLetters, storableRecords, storableStep } from './storable.js';
import { type ClaimAnswer, DEFAULT_RETENTION_MS, type LeaseStore, type LetterStore, type Step } from './store.js';

/** Options that all lease stores share. */
export interface LeaseOptions {
  /**
   * How long a run that does not settle keeps its key, in ms; then another run may take over. Handlers, including the
   * claim, get at most 0.9 of this time. (Default: 60 000.)
   */
  readonly leaseMs?: number | undefined;
  /**
   * How long a key is remembered after it took effect, in ms. Must exceed the time during which the sender retries.
   * (Default: 7 days.)
   */
  readonly retentionMs?: number | undefined;
  /**
   * How long the server may take to answer each call, in ms; then the event fails, to be redelivered. Recording an
   * effect is retried. (Default: 5000.)
   */
  readonly timeoutMs?: number | undefined;
}

export const LEASE_OPTIONS = ['leaseMs', 'retentionMs', 'timeoutMs'] as const satisfies (keyof LeaseOptions)[];

/** Keys with their owners, on a server. The keys of a call are unique; each key is one atomic step on the server. */
export interface LeaseTable {
  /**
   * Gives free keys that have not taken effect to `owner`, for `leaseMs`; with a step from `dead`, dead letters that
   * are not being retried. Never waits for a held key. Keys without an answer are in progress.
   */
  claim(keys: readonly string[], owner: string, step: Step): Promise<ReadonlyMap<string, ClaimAnswer>>;
  /**
   * Records for `retentionMs` that the keys took effect. Resolves to the keys that no other owner has, or to an error
   * that a retry would not change.
   */
  record(keys: readonly string[], owner: string): Promise<ReadonlySet<string> | Error>;
  /** Frees the keys that `owner` still has; dead letters among them stay dead letters. */
  release(keys: readonly string[], owner: string): Promise<unknown>;
  readonly letters?: LetterStore | undefined;
  readonly records?: RecordStore | undefined;
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
 * A lease store over a table. Each call has a time limit; a claim whose answer is lost is released, and recording an
 * effect is retried until the server has answered.
 */
export function storeOfLeases(
  table: LeaseTable,
  options: ReturnType<typeof resolveLeaseOptions>,
  limits: Omit<CallLimits, 'timeoutMs'> = {},
): LeaseStore & Required<Omit<LeaseStore, 'letters' | 'logs' | 'records'>> {
  const { leaseMs, retentionMs, timeoutMs } = options;
  const calls = boundedCalls({ timeoutMs, ...limits });
  const recorder = createRecorder((keys, owner) => calls.send(() => table.record(keys, owner)), options);
  const late = () => storeError(`The server did not answer within ${timeoutMs} ms (timeoutMs).`);
  const inTime = async <T>(call: () => Promise<T>) => withDeadline(call(), timeoutMs, late);
  const release = async (keys: readonly string[], owner: string) => calls.send(() => table.release(keys, owner));

  /** The answers for keys that this process is still recording: the server may not know yet that they took effect. */
  async function recording(keys: readonly string[]): Promise<Map<string, ClaimAnswer>> {
    const words = new Map<string, ClaimAnswer>();
    let failure: unknown;
    const pending = (key: string) =>
      recorder.pending(key)?.then(
        () => words.set(key, 'duplicate'),
        (error: unknown) => {
          failure = error;
          words.set(key, 'in-progress');
        },
      );
    await Promise.all(keys.map(pending));
    // Other keys may still be claimed.
    if (failure !== undefined && words.size === keys.length) throw failure;
    return words;
  }

  return {
    leaseMs,
    letters: table.letters && storableLetters(table.letters, inTime),
    records: table.records && storableRecords(table.records, inTime),
    unrecorded: recorder.unrecorded,
    rememberedSince: () => Date.now() - retentionMs,
    async claim(names, owner, step) {
      const keys = names.map(storableKey);
      const answers = new Map<string, ClaimAnswer>(recorder.isIdle() ? NONE : await recording(keys));
      const left = keys.filter((key) => !answers.has(key));
      if (left.length > 0) {
        const claiming = calls.send(() => table.claim(left, owner, storableStep(step)));
        let isAnswered = true;
        const unanswered = () => {
          isAnswered = false;
          return late();
        };
        try {
          for (const [key, claim] of await withDeadline(claiming, timeoutMs, unanswered)) answers.set(key, claim);
        } catch (error) {
          // The server may have made the claim, or may still make it, which would block the keys for a whole lease.
          const free = () => release(left, owner);
          const released = claiming.then(free, free).catch(ignore);
          // Serverless hosts stop a request's work once it is answered.
          if (isAnswered) await inTime(() => released).catch(ignore);
          throw error;
        }
      }
      return named(names, answers, 'in-progress');
    },
    async record(names, owner) {
      const recorded = await recorder.record(names.map(storableKey), owner);
      return new Map(names.map((name) => [name, recorded.has(storableKey(name))]));
    },
    // If the request is lost, the keys are free once their lease is over.
    release: (names, owner) => inTime(() => release(names.map(storableKey), owner)),
  };
}

const NONE: ReadonlyMap<string, ClaimAnswer> = new Map();

function ignore(): void {}
