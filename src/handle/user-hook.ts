import type { WebhookError } from '../errors.js';
import { errorOf } from './attempt-errors.js';
import { Deadline } from './deadline.js';
import type { Afterwards } from './ground.js';
import type { HostTime } from './host-time.js';

/** Calls a hook of the options within its time limit. Resolves to why its item was not taken, if it was not. */
export type CallHook = (hook: () => unknown, host: HostTime | undefined) => Promise<WebhookError | undefined>;

export function createCallHook(handlerTimeoutMs: number, { hold }: Pick<Afterwards, 'hold'>): CallHook {
  return async (hook, host) => {
    const late = host?.refusal(handlerTimeoutMs);
    if (late) return late;
    const limit = new Deadline(handlerTimeoutMs, host);
    try {
      await limit.run(hook, (running) => hold(running, host));
      return undefined;
    } catch (cause) {
      return errorOf(cause, limit);
    }
  };
}
