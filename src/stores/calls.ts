import { stopwatch } from '../deadline.js';
import { WebhookError } from '../errors.js';

/** Calls of a client that may wait for an answer at once. */
const MAX_WAITING = 1000;
/** When a call counts as lost, so that lost calls cannot stop a client that otherwise works. */
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
  /** How long each has been waiting; the oldest first. */
  const waiting = new Set<() => number>();
  let silence = stopwatch();
  let probe: { readonly age: () => number; readonly pauseMs: number } | undefined;

  function refusal(): string | undefined {
    const tooMany = waiting.size >= MAX_WAITING && !forgetLost();
    if (!tooMany && !(pausesInSilence && waiting.size > 0 && silence() > timeoutMs / 2)) return undefined;
    if (probe && probe.age() > probe.pauseMs) {
      probe = { age: stopwatch(), pauseMs: Math.min(2 * probe.pauseMs, MAX_PAUSE_MS) };
      return undefined;
    }
    probe ??= { age: stopwatch(), pauseMs: timeoutMs };
    const what = tooMany
      ? `${MAX_WAITING} calls of the client are unanswered`
      : `The client has not answered for ${timeoutMs / 2} ms`;
    return `${what}, so nothing more is sent for now. Give it time-outs that replace a connection which no longer answers.`;
  }

  function forgetLost(): boolean {
    for (const age of waiting) {
      if (age() <= LOST_AFTER_MS) break;
      waiting.delete(age);
    }
    return waiting.size < MAX_WAITING;
  }

  return {
    /** Makes a call, or throws an `ERR_WEBHOOK_STORE` without making it. */
    send<T>(call: () => Promise<T>): Promise<T> {
      const reason = refusal();
      if (reason !== undefined) throw storeError(reason);
      const age = stopwatch();
      if (waiting.size === 0) silence = age;
      waiting.add(age);
      const settle = () => {
        waiting.delete(age);
        silence = stopwatch();
        probe = undefined;
      };
      const work = startCall(call);
      work.then(settle, settle);
      return work;
    },
  };
}

/** What throws at once has rejected. */
async function startCall<T>(call: () => Promise<T>): Promise<T> {
  return call();
}

export function storeError(message: string): WebhookError {
  return new WebhookError('ERR_WEBHOOK_STORE', message);
}
