import type { WebhookEvent } from 'event-webhook-receiver';

/** A kind of event that a webhook can subscribe to. */
export type EventKind = WebhookEvent['event'];

/** All kinds of event (spec section 6). */
export const EVENT_KINDS: readonly EventKind[] = ['event.emitted', 'transaction.included'];

/** The outcome of a webhook's latest calls. */
export interface Calls {
  /** Failed deliveries since the last one that was answered 2xx. */
  readonly failedCalls: number;
  /** RFC 3339 time of the next attempt, if one is scheduled. */
  readonly nextAttempt?: string | undefined;
  /** RFC 3339 time of the last attempt. */
  readonly lastAttempt?: string | undefined;
  /** Why the last attempt failed; absent when it succeeded. */
  readonly lastError?: string | undefined;
}

/** A webhook as it is listed, without its secret. */
export interface Webhook extends Calls {
  readonly id: number;
  readonly url: string;
  readonly label: string;
  readonly subscriptions: readonly EventKind[];
  /** RFC 3339 time. */
  readonly createdAt: string;
  /** RFC 3339 time. */
  readonly updatedAt: string;
}

/** A webhook that has just been created, with its secret. */
export interface CreatedWebhook extends Webhook {
  /** The signing secret: 64 hex digits. The text itself is the key, not the bytes that it encodes. */
  readonly secret: string;
}

/** What to create a webhook with. */
export interface NewWebhook {
  readonly label: string;
  /** An HTTPS URL, or an HTTP URL of a loopback host. */
  readonly url: string;
  /** (Default: both kinds.) */
  readonly subscriptions?: readonly EventKind[] | undefined;
}

/** A webhook without its secret, in the key order of the live API. */
export const withoutSecret = ({ secret: _, ...shown }: CreatedWebhook): Webhook => shown;
