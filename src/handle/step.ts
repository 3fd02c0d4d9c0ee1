import type { WebhookEvent } from '../events/types.js';
import { DELIVERY, type KeptLog, RETRY, type Step } from '../stores/store.js';
import type { Items } from './answer.js';
import type { AboutDelivery } from './context.js';
import { recordsOf } from './records.js';

/** An event as its log is kept until its block is final; undefined if the event has no log. Never throws. */
export type LogOf = (event: WebhookEvent, idempotencyKey: string, source: string | undefined) => KeptLog | undefined;

/** The step of a delivery, or of a retry. */
export function stepOf(logOf: LogOf | undefined, items: Items, about: AboutDelivery): Step {
  // A retry leaves the record of the delivery.
  if (about.retryOf !== undefined) return RETRY;
  const records = recordsOf(items, about);
  if (!logOf) return { ...DELIVERY, records };
  const logs = new Map<string, KeptLog>();
  for (const [key, { event }] of items) {
    const log = logOf(event, key, about.source);
    if (log) logs.set(key, log);
  }
  return { from: 'free', to: 'applied', records, logs };
}
