import { WebhookError } from '../errors.js';
import { monotonicNow } from '../internal/time.js';

/** How many calls of a client may wait for an answer at the same time. */
const MAX_WAITING = 1000;
const MAX_PAUSE_MS = 60_000;

export interface CallLimits {
  /** How long an answer may take, in ms. */
  readonly timeoutMs: number;
  /**
   * Whether to stop sending when there was no answer for half of `timeoutMs`. For example, the socket timeout of
   * node-redis counts writes as activity, so it notices a dead connection only during silence.
   */
  readonly pausesInSilence?: boolean | undefined;
  /**
   * How long the number of waiting calls may stay at the limit, in ms; then they count as lost, so that they cannot
   * block a working client forever. (Default: an hour.)
   */
  readonly lostAfterMs?: number | undefined;
}

/**
 * Limits how many calls of a client wait for an answer, so that memory does not grow when a connection accepts commands
 * but never answers. A call beyond the limit throws `ERR_WEBHOOK_STORE` immediately. One call goes through
 * periodically, to find out whether the client answers again.
 */
export function boundedCalls({ timeoutMs, pausesInSilence = false, lostAfterMs = 3_600_000 }: CallLimits) {
  let waiting = 0;
  /** Incremented when the waiting calls count as lost: their answers are ignored from then on. */
  let era = 0;
  let fullSince = 0;
  /** Whether a call was answered, or none was waiting, since `silentSince` was set. */
  let isAnswered = true;
  let silentSince = 0;
  let probe: { readonly since: number; readonly pauseMs: number } | undefined;

  function isFull(now: number): boolean {
    if (waiting < MAX_WAITING) return false;
    if (now - fullSince <= lostAfterMs) return true;
    era++;
    waiting = 0;
    return false;
  }

  function refusal(now: number): string | undefined {
    const full = isFull(now);
    if (!full && !(pausesInSilence && waiting > 0 && now - silentSince > timeoutMs / 2)) return undefined;
    if (probe && now - probe.since > probe.pauseMs) {
      probe = { since: now, pauseMs: Math.min(2 * probe.pauseMs, MAX_PAUSE_MS) };
      return undefined;
    }
    probe ??= { since: now, pauseMs: timeoutMs };
    const what = full
      ? `${MAX_WAITING} calls of the client are unanswered`
      : `The client has not answered for ${timeoutMs / 2} ms`;
    return `${what}, so the store sends no further commands for now. Check that the server answers, and that the client has a socket timeout.`;
  }

  return {
    /** Makes a call, or throws an `ERR_WEBHOOK_STORE` without making it. */
    send<T>(call: () => Promise<T>): Promise<T> {
      const now = monotonicNow();
      if (isAnswered) {
        silentSince = now;
        isAnswered = false;
      }
      const reason = refusal(now);
      if (reason !== undefined) throw storeError(reason);
      const work = startCall(call);
      const sentIn = era;
      if (++waiting === MAX_WAITING) fullSince = now;
      const settle = () => {
        isAnswered = true;
        probe = undefined;
        if (sentIn === era) waiting--;
      };
      work.then(settle, settle);
      return work;
    },
  };
}

/** Turns a synchronous throw into a rejection. */
function startCall<T>(call: () => Promise<T>): Promise<T> {
  try {
    return call();
  } catch (error) {
    return Promise.reject(error);
  }
}

export function storeError(message: string, cause?: unknown): WebhookError {
  return new WebhookError('ERR_WEBHOOK_STORE', message, cause === undefined ? {} : { cause });
}
