import { WebhookError } from '../errors.js';
import type { Items } from './attempt.js';
import type { Finality } from './before.js';
import type { AboutDelivery } from './context.js';
import { Deadline } from './deadline.js';
import type { Afterwards } from './ground.js';
import type { HandleEach } from './run-each.js';
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
      const limit = new Deadline(handlerTimeoutMs, host);
      const { signal, deadline } = limit;
      const work = () => enqueue(entries, { signal, deadline, timestamp, source, ...needs });
      await traceHandler(() => limit.run(work, (running) => hold(running, host)), {
        events: entries.map(({ event }) => event),
      });
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
