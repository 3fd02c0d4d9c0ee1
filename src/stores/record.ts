import { withDeadline } from '../deadline.js';
import { storeError } from './calls.js';

const FIRST_RETRY_MS = 25;
const LAST_RETRY_MS = 5000;

/** Whether the server recorded it; false when another holds the key. Settles when it likes, if at all. */
export type Complete = (key: string, owner: string) => Promise<boolean>;

/** Records on a server which keys took effect, and knows which it has not recorded yet. */
export interface Recorder {
  /** The record of a key that is not made yet. Rejects when it cannot be made. */
  pending(key: string): Promise<void> | undefined;
  /** All records that are not made yet: as many as runs were under way, at most. */
  allPending(): readonly Promise<void>[];
  /**
   * Tries until the server has recorded that a key took effect: to forget it would mean to run it again. The tries
   * continue after the delivery was answered.
   */
  record(key: string, owner: string): Promise<void>;
}

export function createRecorder(
  complete: Complete,
  { leaseMs, retentionMs, timeoutMs }: { leaseMs: number; retentionMs: number; timeoutMs: number },
): Recorder {
  const pending = new Map<string, Promise<void>>();
  // A holder whose lease ran out may still be recording when its successor does.
  const all = new Set<Promise<void>>();

  const late = () => storeError(`The server did not answer in time (timeoutMs: ${timeoutMs}).`);

  /** Tries one after the other. An answer to any of them counts, however late: they all say the same. */
  function completed(key: string, owner: string): Promise<boolean> {
    // The monotonic clock alone: a clock that is set forward is no reason to give up.
    const end = performance.now() + retentionMs;
    return new Promise((resolve, reject) => {
      let over = false;
      const answer = (recorded: boolean) => {
        over = true;
        resolve(recorded);
      };
      const attempt = async () => complete(key, owner).then(answer);
      const tryAll = async () => {
        for (let wait = FIRST_RETRY_MS; !over; wait = Math.min(2 * wait, LAST_RETRY_MS)) {
          try {
            await withDeadline(attempt(), timeoutMs, late);
          } catch (error) {
            if (performance.now() > end) return reject(error);
            await pause(wait);
          }
        }
      };
      void tryAll();
    });
  }

  async function recordOnce(key: string, owner: string): Promise<void> {
    if (await completed(key, owner)) return;
    throw storeError(
      `The lease of ${leaseMs} ms ran out before the run was over and another has taken the key over, so the event may take effect twice. Make leaseMs longer than any run.`,
    );
  }

  return {
    pending: (key) => pending.get(key),
    allPending: () => [...all],
    record(key, owner) {
      const recorded = recordOnce(key, owner).finally(() => {
        all.delete(recorded);
        if (pending.get(key) === recorded) pending.delete(key);
      });
      pending.set(key, recorded);
      all.add(recorded);
      return recorded;
    },
  };
}

/** Waits without keeping the process alive for it. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer: { unref?: () => unknown } | number = setTimeout(resolve, ms);
    if (typeof timer === 'object') timer.unref?.();
  });
}
