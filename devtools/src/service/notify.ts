import { isLoopback } from '../guards.js';
import type { Attempt } from './attempt.js';
import type { Delivery, LocalDelivery } from './delivery.js';
import type { ResolvedOptions } from './options.js';
import type { WebhookState } from './state.js';

/** Calls the callbacks of the options, and logs. Errors of a callback are logged. */
export function createNotifier({ logger, onDelivery, onChange }: ResolvedOptions) {
  async function call(callback: () => unknown): Promise<void> {
    try {
      await callback();
    } catch (error) {
      logger?.error({ err: error }, 'a callback of the local service failed');
    }
  }

  /** @param attempt The attempt in progress, or the last one with its response. */
  function view({ record }: WebhookState, delivery: Delivery, attempt?: Attempt): LocalDelivery {
    const { id, body, attempts, nextAttemptAt, state } = delivery;
    const isUnderWay = attempt && !isEnded(attempt);
    const earlier = attempt && !isUnderWay ? attempts.slice(0, -1) : attempts;
    return {
      ...{ id: String(id), webhookId: record.id, label: record.label, url: record.url, rawBody: body },
      attempts: attempt ? [...earlier, attempt] : earlier,
      ...{ nextAttemptAt: isUnderWay ? undefined : nextAttemptAt, state: isUnderWay ? 'pending' : state },
    };
  }

  function log(delivery: LocalDelivery): void {
    const { id, webhookId, state, attempts } = delivery;
    const { status, code, reason, fault, durationMs } = Object(attempts.at(-1));
    const fields = { deliveryId: id, webhookId, status, code, reason, fault, durationMs, attempts: attempts.length };
    if (state === 'delivered') logger?.info(fields, 'delivered');
    else if (state === 'given-up') logger?.warn(fields, 'delivery given up');
    else logger?.warn(fields, 'delivery failed, will be retried');
  }

  function change(): void {
    if (onChange) void call(onChange);
  }

  return {
    change,
    delivery(webhook: WebhookState, delivery: Delivery, attempt: Attempt): void {
      const shown = view(webhook, delivery, attempt);
      if (isEnded(attempt)) log(shown);
      if (onDelivery) void call(() => onDelivery(shown));
      change();
    },
    dropped(webhook: WebhookState | undefined, delivery: Delivery): void {
      const { id, webhookId } = delivery;
      logger?.warn(
        { deliveryId: String(id), webhookId },
        'delivery given up: too many deliveries are pending for its webhook',
      );
      if (webhook && onDelivery) void call(() => onDelivery(view(webhook, delivery)));
    },
  };
}

const isEnded = ({ durationMs }: Attempt) => durationMs !== undefined;

/** Logs where the service listens; as a warning when other machines can reach it. */
export function announce(url: string, { host, logger }: ResolvedOptions): void {
  if (isLoopback(host)) logger?.info({ url }, 'the local service is listening on loopback');
  else logger?.warn({ url }, 'other machines can reach the local service, which is meant for development and tests');
}
