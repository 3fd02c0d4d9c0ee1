import { monotonicNow } from '../internal/deadline.js';
import { storeError } from './calls.js';

const FIRST_RETRY_MS = 25;
const LAST_RETRY_MS = 5000;

/** Asks the server to record a key: false when another holds it. It may throw, and never settle. */
export type Complete = (key: string, owner: string) => Promise<boolean>;

/** Records on a server which keys took effect, and knows which it has not recorded yet. */
export interface Recorder {
  /** The record of a key that is not made yet. Rejects when it cannot be made. */
  pending(key: string): Promise<void> | undefined;
  /**
   * Tries until the server has recorded that a key took effect: to forget it would mean to run it again. Each try has
   * `timeoutMs`, and an answer to any of them counts, however late. The tries continue after the delivery was answered.
   */
  record(key: string, owner: string): Promise<void>;
}

export function createRecorder(
  complete: Complete,
  { leaseMs, retentionMs, timeoutMs }: { leaseMs: number; retentionMs: number; timeoutMs: number },
): Recorder {
  const pending = new Map<string, Promise<void>>();

  const late = () => storeError(`The server did not answer in time (timeoutMs: ${timeoutMs}).`);

  function keepTrying(key: string, owner: string, end: (error?: unknown) => void): void {
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
        const now = monotonicNow(); // The monotonic clock: one that is set forward is no reason to give up.
        giveUpAt ??= now + retentionMs;
        if (now > giveUpAt) finish(error);
        else wait(retryMs, () => attempt(Math.min(2 * retryMs, LAST_RETRY_MS)));
      }

      function answer(isRecorded: boolean): void {
        clearTimeout(timer);
        if (!isOver) finish(isRecorded ? undefined : takenOver(leaseMs));
      }

      try {
        complete(key, owner).then(answer, again);
      } catch (error) {
        again(error);
      }
    }

    attempt(FIRST_RETRY_MS);
  }

  return {
    pending: (key) => pending.get(key),
    record(key, owner) {
      const recorded: Promise<void> = new Promise((resolve, reject) => {
        keepTrying(key, owner, (error) => {
          if (pending.get(key) === recorded) pending.delete(key);
          if (error === undefined) resolve();
          else reject(error);
        });
      });
      pending.set(key, recorded);
      return recorded;
    },
  };
}

function takenOver(leaseMs: number): Error {
  return storeError(
    `The lease of ${leaseMs} ms ran out before the run was over and another has taken the key over, so the event may take effect twice. Make leaseMs longer than any run.`,
  );
}

/** Does something later, without keeping the process alive for it. */
function wait(ms: number, act: () => void): void {
  const timer: { unref?: () => unknown } | number = setTimeout(act, ms);
  if (typeof timer === 'object') timer.unref?.();
}
