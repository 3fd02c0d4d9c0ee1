import { WebhookError } from '../errors.js';
import type { AboutDelivery } from './context.js';
import type { Finality } from './finality.js';
import type { Afterwards } from './ground.js';
import type { HandleEach } from './run-each.js';
import type { Items } from './task.js';
import { TimeLimit } from './time-limit.js';
import { traceHandler } from './tracing.js';
import type { Enqueue } from './types.js';

interface EnqueueSettings {
  readonly enqueue: Enqueue;
  readonly handlerTimeoutMs: number;
  readonly finality?: Finality | undefined;
}

/** Passes the first event of each key to `enqueue`. */
export function createEnqueueEach(
  { enqueue, handlerTimeoutMs, finality }: EnqueueSettings,
  { hold }: Afterwards,
): HandleEach {
  const needs = finality && ({ needsFinality: true } as const);

  async function failureOf(
    items: Items,
    { source, timestamp, host }: AboutDelivery,
  ): Promise<WebhookError | undefined> {
    const refusal = host?.refusal(handlerTimeoutMs);
    if (refusal) return refusal;
    try {
      const entries = [...items].map(([idempotencyKey, { event }]) => ({ event, idempotencyKey }));
      const limit = new TimeLimit(handlerTimeoutMs, host);
      const { signal, deadline } = limit;
      const work = () => enqueue(entries, { signal, deadline, timestamp, source, ...needs });
      await traceHandler(() => limit.run(work, hold), { events: entries.map(({ event }) => event) });
    } catch (cause) {
      return new WebhookError('ERR_WEBHOOK_ENQUEUE', '`enqueue` failed, so the delivery will be sent again.', {
        cause,
      });
    }
    return undefined;
  }

  return async (items, about) => {
    if (items.size === 0) return [];
    const error = await failureOf(items, about);
    const status = error ? 'failed' : 'stored';
    return [...items].map(([idempotencyKey, item]) => ({ status, item, idempotencyKey, error }));
  };
}
