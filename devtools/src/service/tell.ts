import { isLoopback } from '../loopback.js';
import type { Attempt } from './attempt.js';
import type { Delivery, LocalDelivery } from './delivery.js';
import type { ResolvedOptions } from './options.js';
import type { Webhook } from './state.js';

/** Tells the callbacks and the log of the program what happens. What they throw ends here. */
export function tellOf({ logger, onDelivery, onChange }: ResolvedOptions) {
  async function call(callback: () => unknown): Promise<void> {
    try {
      await callback();
    } catch (error) {
      logger?.error({ err: error }, 'a callback of the local service failed');
    }
  }

  function view({ record }: Webhook, delivery: Delivery, underWay?: Attempt): LocalDelivery {
    const { id, body, attempts, nextAttemptAt, state } = delivery;
    return {
      ...{ id: String(id), webhookId: record.id, label: record.label, url: record.url, rawBody: body },
      attempts: underWay ? [...attempts, underWay] : attempts,
      ...{ nextAttemptAt: underWay ? undefined : nextAttemptAt, state: underWay ? 'pending' : state },
    };
  }

  function log(delivery: LocalDelivery): void {
    const { id, webhookId, state, attempts } = delivery;
    const { status, code, reason, fault, durationMs } = attempts.at(-1) ?? {};
    const fields = { deliveryId: id, webhookId, status, code, reason, fault, durationMs, attempts: attempts.length };
    if (state === 'delivered') logger?.info(fields, 'delivered');
    else if (state === 'given-up') logger?.warn(fields, 'delivery given up');
    else logger?.warn(fields, 'delivery failed, will be tried again');
  }

  return {
    change(): void {
      if (onChange) void call(onChange);
    },
    delivery(webhook: Webhook, delivery: Delivery, underWay?: Attempt): void {
      const shown = view(webhook, delivery, underWay);
      if (underWay === undefined) log(shown);
      if (onDelivery) void call(() => onDelivery(shown));
    },
    dropped(webhook: Webhook | undefined, delivery: Delivery): void {
      const { id, webhookId } = delivery;
      logger?.warn({ deliveryId: String(id), webhookId }, 'delivery given up: too many are pending for its webhook');
      if (webhook && onDelivery) void call(() => onDelivery(view(webhook, delivery)));
    },
  };
}

/** Says where the service listens, aloud when that is not this machine alone. */
export function announce(url: string, { host, logger }: ResolvedOptions): void {
  if (isLoopback(host)) {
    logger?.info({ url }, 'the local service listens, for this machine alone');
    return;
  }
  const warning = 'the local service can be reached from other machines: it is for development and tests';
  if (logger) logger.warn({ url }, warning);
  else process.emitWarning(`${warning} (${url})`);
}
