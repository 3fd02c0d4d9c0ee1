import type { WebhookEvent } from 'event-webhook-receiver';

/** A kind of event that a webhook can subscribe to. */
export type EventKind = WebhookEvent['event'];

/** Every kind of event there is (spec section 6). */
export const EVENT_KINDS: readonly EventKind[] = ['event.emitted', 'transaction.included'];

/** How the calls of a webhook went, as its record tells it. */
export interface Calls {
  /** Deliveries that failed in a row since the last one that was answered 2xx. */
  readonly failedCalls: number;
  /** RFC 3339 time of the next attempt, while a delivery waits for one. */
  readonly nextAttempt?: string | undefined;
  /** RFC 3339 time of the last attempt. */
  readonly lastAttempt?: string | undefined;
  /** Why the last attempt failed; absent when it did not. */
  readonly lastError?: string | undefined;
}

/** A webhook as it is listed: everything but its secret. */
export interface WebhookInfo extends Calls {
  readonly id: number;
  readonly url: string;
  readonly label: string;
  readonly subscriptions: readonly EventKind[];
  /** RFC 3339 time. */
  readonly createdAt: string;
  /** RFC 3339 time. */
  readonly updatedAt: string;
}

/** A webhook as it is when it has just been created: the one time that its secret is shown. */
export interface WebhookWithSecret extends WebhookInfo {
  /** The signing secret: 64 hex digits, whose text is the key. */
  readonly secret: string;
}

/** What a webhook is registered with. */
export interface Registration {
  readonly label: string;
  /** HTTPS; or HTTP where the host is this machine's loopback. */
  readonly url: string;
  /** (Default: both kinds.) */
  readonly subscriptions?: readonly EventKind[] | undefined;
}

/** The public part of a webhook, in the key order of the live API. */
export function webhookInfo(webhook: WebhookInfo): WebhookInfo {
  const { id, url, label, subscriptions, createdAt, updatedAt } = webhook;
  const { failedCalls, nextAttempt, lastAttempt, lastError } = webhook;
  return {
    id,
    url,
    label,
    subscriptions: [...subscriptions],
    createdAt,
    updatedAt,
    failedCalls,
    nextAttempt,
    lastAttempt,
    lastError,
  };
}

/** The record with its secret, in the key order of the live API. */
export function withSecret(webhook: WebhookWithSecret): WebhookWithSecret {
  const { id, url, label, subscriptions, ...rest } = webhookInfo(webhook);
  return { id, url, label, subscriptions, secret: webhook.secret, ...rest };
}
