import { WebhookError } from '../errors.js';
import type { Afterwards } from './attempt.js';
import type { Enqueue } from './options.js';
import type { HandleEach } from './run-each.js';
import { TimeLimit } from './time-limit.js';
import { traceHandler } from './tracing.js';

/** Passes the first event of each key to `enqueue`. */
export function createEnqueueEach(enqueue: Enqueue, handlerTimeoutMs: number, { hold }: Afterwards): HandleEach {
  return async (items, { source, timestamp }) => {
    if (items.size === 0) return [];
    let error: WebhookError | undefined;
    try {
      const entries = [...items].map(([idempotencyKey, { event }]) => ({ event, idempotencyKey }));
      const limit = new TimeLimit(handlerTimeoutMs);
      const { signal, deadline } = limit;
      const work = () => enqueue(entries, { signal, deadline, timestamp, source });
      await traceHandler(() => limit.run(work, hold), { events: entries.map(({ event }) => event) });
    } catch (cause) {
      error = new WebhookError('ERR_WEBHOOK_ENQUEUE', '`enqueue` failed, so the delivery will be sent again.', {
        cause,
      });
    }
    const status = error ? 'failed' : 'stored';
    return [...items].map(([idempotencyKey, item]) => ({ status, item, idempotencyKey, error }));
  };
}
