import { WebhookError } from '../errors.js';
import type { Afterwards } from './afterwards.js';
import { outcomesOf } from './answer.js';
import { Deadline } from './deadline.js';
import type { HandleOptions } from './options.js';
import { entriesOf, type HandleEach } from './run-each.js';
import { traceHandler } from './tracing.js';
import type { Enqueue } from './types.js';

/** Passes the first event of each key to `enqueue`. */
export function createEnqueueEach(
  enqueue: Enqueue,
  { handlerTimeoutMs, finality }: Pick<HandleOptions<never>, 'handlerTimeoutMs' | 'finality'>,
  { hold }: Afterwards,
): HandleEach {
  const needs = finality && ({ needsFinality: true } as const);
  return async (items, { host, ...about }) => {
    if (items.size === 0) return [];
    const limit = new Deadline(handlerTimeoutMs, host);
    if (limit.error) return outcomesOf(items, 'failed', limit.error);
    const entries = entriesOf(items);
    const { signal, deadline } = limit;
    const work = () => enqueue(entries, { signal, deadline, ...about, ...needs });
    try {
      const events = entries.map(({ event }) => event);
      await traceHandler(() => limit.run(work, hold), { events });
      return outcomesOf(items, 'stored');
    } catch (cause) {
      const message = '`enqueue` failed, so the delivery will be sent again.';
      return outcomesOf(items, 'failed', new WebhookError('ERR_WEBHOOK_ENQUEUE', message, { cause }));
    }
  };
}
