import { monotonicNow } from '../internal/deadline.js';
import { storeError } from './bounded-calls.js';

const FIRST_RETRY_MS = 25;
const LAST_RETRY_MS = 5000;

/** Asks the server to record keys, and resolves to those that no other owner has. It may throw, and may never settle. */
export type Complete = (keys: readonly string[], owner: string) => Promise<ReadonlySet<string>>;

/** Records on a server which keys took effect, and tracks the records that are still pending. */
export interface Recorder {
  /** The pending record of a key, if there is one. Rejects if the key cannot be recorded. */
  pending(key: string): Promise<void> | undefined;
  /**
   * Retries until the server has recorded that the keys took effect, because a lost record would run their events again.
   * Each try has `timeoutMs`, and a late answer to any of them counts. The retries continue after the delivery was answered.
   */
  record(keys: readonly string[], owner: string): Promise<void>;
}

export function createRecorder(
  complete: Complete,
  { leaseMs, retentionMs, timeoutMs }: { leaseMs: number; retentionMs: number; timeoutMs: number },
): Recorder {
  const pending = new Map<string, Promise<void>>();

  const late = () => storeError(`The server did not answer within ${timeoutMs} ms (timeoutMs).`);

  function keepTrying(keys: readonly string[], owner: string, end: (error?: unknown) => void): void {
    let isOver = false;
    let giveUpAt: number | undefined;

    function finish(error?: unknown): void {
      isOver = true;
      end(error);
    }

    function attempt(retryMs: number): void {
      if (isOver) return;
      let isDecided = false;
      const timer = setTimeout(() => again(late()), timeoutMs);

      function again(error: unknown): void {
        clearTimeout(timer);
        if (isDecided || isOver) return;
        isDecided = true;
        const now = monotonicNow(); // Monotonic, so that setting the wall clock forward does not end the retries.
        giveUpAt ??= now + retentionMs;
        if (now > giveUpAt) finish(error);
        else wait(retryMs, () => attempt(Math.min(2 * retryMs, LAST_RETRY_MS)));
      }

      function answer(recorded: ReadonlySet<string>): void {
        clearTimeout(timer);
        finish(keys.every((key) => recorded.has(key)) ? undefined : takenOver(leaseMs));
      }

      try {
        complete(keys, owner).then(answer, again);
      } catch (error) {
        again(error);
      }
    }

    attempt(FIRST_RETRY_MS);
  }

  return {
    pending: (key) => pending.get(key),
    record(keys, owner) {
      const recorded: Promise<void> = new Promise((resolve, reject) => {
        keepTrying(keys, owner, (error) => {
          for (const key of keys) if (pending.get(key) === recorded) pending.delete(key);
          if (error === undefined) resolve();
          else reject(error);
        });
      });
      for (const key of keys) pending.set(key, recorded);
      return recorded;
    },
  };
}

function takenOver(leaseMs: number): Error {
  return storeError(
    `The run took longer than its lease of ${leaseMs} ms and another run has taken over the key, so the event may take effect twice. Increase leaseMs.`,
  );
}

/** Calls `act` later, without keeping the process alive. */
function wait(ms: number, act: () => void): void {
  // A number outside Node.
  const timer: { unref?: () => unknown } = setTimeout(act, ms);
  timer.unref?.();
}
