import { WebhookError } from '../errors.js';
import { monotonicNow } from '../internal/deadline.js';

/** Calls of a client that may wait for an answer at once. */
const MAX_WAITING = 1000;
/** After so long with that many, they count as lost: lost calls cannot stop a client that otherwise works for good. */
const LOST_AFTER_MS = 3_600_000;
const MAX_PAUSE_MS = 60_000;

export interface CallLimits {
  /** How long an answer may take. */
  readonly timeoutMs: number;
  /**
   * Whether nothing more is sent once nothing was answered for half of `timeoutMs`. Sockets whose time-out counts what is
   * written as a sign of life, such as those of node-redis, notice a dead connection only then.
   */
  readonly pausesInSilence?: boolean | undefined;
}

/**
 * Bounds how many calls of a client wait for an answer, so that memory does not grow when a connection swallows what it
 * is sent. A call that would be one too many throws `ERR_WEBHOOK_STORE` at once. Now and then one is let through, to see
 * whether the client answers again.
 */
export function boundedCalls({ timeoutMs, pausesInSilence = false }: CallLimits) {
  let waiting = 0;
  /** Counts up when calls that wait are given up for lost: their answers change nothing then. */
  let era = 0;
  let fullSince = 0;
  /** Whether there was an answer, or nothing to wait for, since `silentSince` was set. */
  let isAnswered = true;
  let silentSince = 0;
  let probe: { readonly since: number; readonly pauseMs: number } | undefined;

  function isFull(now: number): boolean {
    if (waiting < MAX_WAITING) return false;
    if (now - fullSince <= LOST_AFTER_MS) return true;
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
    return `${what}, so nothing more is sent for now. Give it time-outs that replace a connection which no longer answers.`;
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

/** What throws at once has rejected. */
function startCall<T>(call: () => Promise<T>): Promise<T> {
  try {
    return call();
  } catch (error) {
    return Promise.reject(error);
  }
}

export function storeError(message: string): WebhookError {
  return new WebhookError('ERR_WEBHOOK_STORE', message);
}
