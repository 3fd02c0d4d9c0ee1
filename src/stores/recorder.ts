import { monotonicNow, withDeadline } from '../internal/time.js';
import { storeError } from './bounded-calls.js';

const FIRST_RETRY_MS = 25;
const LAST_RETRY_MS = 5000;

/**
 * Asks the server to record keys, and resolves to the keys that no other owner has, or to an error that a retry would
 * not change. The function may throw, and its promise may never settle.
 */
type Write = (keys: readonly string[], owner: string) => Promise<ReadonlySet<string> | Error>;

/** Records on a server which keys took effect, and tracks the records that are still pending. */
export function createRecorder(write: Write, { retentionMs, timeoutMs }: { retentionMs: number; timeoutMs: number }) {
  /** A key has more than one recording if this process ran it again after its lease had ended. */
  const pending = new Map<string, Set<Recording>>();
  const retried = new Set<Recording>();

  const late = () => storeError(`The server did not answer within ${timeoutMs} ms (timeoutMs).`);
  const inTime = <T>(work: Promise<T>) => withDeadline(work, timeoutMs, late);

  function start(keys: readonly string[], owner: string): Recording {
    let result: { readonly recorded: ReadonlySet<string> } | { readonly error: unknown } | undefined;
    let giveUpAt: number | undefined;
    let dueAt = 0;
    /** Ends the current series of tries. Starting another one replaces it. */
    let driver: (() => void) | undefined;

    function finish(found: NonNullable<typeof result>): void {
      result ??= found;
      retried.delete(recording);
      for (const key of keys) {
        const recordings = pending.get(key);
        if (recordings?.delete(recording) && recordings.size === 0) pending.delete(key);
      }
    }

    function attempt(retryMs: number, end: () => void): void {
      if (result || driver !== end) {
        end();
        return;
      }
      let isDecided = false;
      dueAt = monotonicNow() + timeoutMs;
      const timer = setTimeout(() => again(late()), timeoutMs);

      function again(error: unknown): void {
        clearTimeout(timer);
        if (isDecided) return;
        isDecided = true;
        const now = monotonicNow(); // Monotonic, so that setting the wall clock forward does not end the retries.
        giveUpAt ??= now + retentionMs;
        if (now > giveUpAt) finish({ error: error ?? late() }); // A client may reject without an error.
        if (result || driver !== end) {
          end();
          return;
        }
        dueAt = now + retryMs;
        wait(retryMs, () => attempt(Math.min(2 * retryMs, LAST_RETRY_MS), end));
      }

      function answer(recorded: ReadonlySet<string> | Error): void {
        clearTimeout(timer);
        finish(recorded instanceof Error ? { error: recorded } : { recorded });
        end();
      }

      try {
        write(keys, owner).then(answer, again);
      } catch (error) {
        again(error);
      }
    }

    function drive(): Promise<ReadonlySet<string>> {
      // Created and settled by the same request: in Workers, code cannot wait for a promise of another request.
      recording.promise = new Promise((resolve, reject) => {
        driver = () => {
          if (result === undefined) resolve(recording.promise);
          else if ('error' in result) reject(result.error);
          else resolve(result.recorded);
        };
        attempt(FIRST_RETRY_MS, driver);
      });
      return recording.promise;
    }

    const recording: Recording = {
      promise: Promise.resolve(NO_KEYS),
      drive,
      isOverdue: () => monotonicNow() > dueAt,
      isOver: () => result !== undefined,
    };
    return recording;
  }

  return {
    /**
     * The pending record of a key, if there is one. Rejects if the key cannot be recorded, or after `timeoutMs`. Resumes
     * the retries if they stopped, as they do in Workers when the request ends.
     */
    pending(key: string): Promise<unknown> | undefined {
      const [recording] = pending.get(key) ?? [];
      if (recording === undefined) return undefined;
      const recorded = recording.isOverdue() ? recording.drive() : recording.promise;
      return inTime(recorded.then((keys) => (keys.has(key) ? undefined : Promise.reject(new Error('Taken over.')))));
    },
    /** Whether no record is pending. */
    isIdle: () => pending.size === 0,
    /**
     * Retries until the server has recorded that the keys took effect, because a lost record would run their events
     * again. Resolves to the keys that no other owner has taken over. Each try has `timeoutMs`, and a late answer to an
     * earlier try counts too. Rejects after `timeoutMs`, but the retries continue.
     */
    async record(keys: readonly string[], owner: string): Promise<ReadonlySet<string>> {
      const recording = start(keys, owner);
      for (const key of keys) {
        const recordings = pending.get(key);
        if (recordings) recordings.add(recording);
        else pending.set(key, new Set([recording]));
      }
      try {
        return await inTime(recording.drive());
      } catch (error) {
        if (!recording.isOver()) retried.add(recording);
        throw error;
      }
    },
    /** The records that are still retried after `record` rejected. */
    unrecorded: (): readonly Promise<unknown>[] => [...retried].map(({ promise }) => promise),
  };
}

/** Keys whose record is pending. */
interface Recording {
  /** Settles with the latest `drive`. */
  promise: Promise<ReadonlySet<string>>;
  /** Tries until the keys are recorded. */
  drive(): Promise<ReadonlySet<string>>;
  /** Whether a timer was due but has not fired. */
  isOverdue(): boolean;
  isOver(): boolean;
}

const NO_KEYS: ReadonlySet<string> = new Set();

/** Calls `act` later, without keeping the process alive. */
function wait(ms: number, act: () => void): void {
  // Outside Node, a timer is a number.
  const timer: { unref?: () => unknown } = setTimeout(act, ms);
  timer.unref?.();
}
