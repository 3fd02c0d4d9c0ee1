import { isPosition } from '../events/check-event.js';
import type { EventKind } from '../events/types.js';
import { isRecord } from '../internal/guards.js';
import { notThisApi } from './envelope.js';
import type { Answer } from './transport.js';

/** A webhook to register (spec section 2.1, and `subscriptions` of the live API). */
export interface NewWebhook {
  readonly label: string;
  /** URL to deliver to: `https:`, or `http:` if both it and the service are on a loopback host. */
  readonly url: string;
  /**
   * Kinds of event to deliver. `null` omits the key from the request, because the specification does not have it.
   * (Default: both.)
   */
  readonly subscriptions?: readonly EventKind[] | null | undefined;
}

/** Changes to a webhook. Absent keys stay as they are. */
export interface WebhookChanges {
  readonly label?: string | undefined;
  readonly url?: string | undefined;
  readonly subscriptions?: readonly EventKind[] | undefined;
}

/** A webhook as the service returns it. Unknown keys are kept. */
export interface Webhook {
  readonly id: number;
  readonly label: string;
  readonly url: string;
  readonly subscriptions?: readonly string[] | undefined;
  /** RFC 3339 time, like the other times. */
  readonly createdAt?: string | undefined;
  readonly updatedAt?: string | undefined;
  /** Number of consecutive failed deliveries. */
  readonly failedCalls?: number | undefined;
  readonly nextAttempt?: string | null | undefined;
  readonly lastAttempt?: string | null | undefined;
  readonly lastError?: string | null | undefined;
  /**
   * The signing secret, if the service returned it: the live API does with `get`. It is not enumerable: logging,
   * serializing, spreading or cloning the record leaves it out.
   */
  readonly secret?: string | undefined;
  readonly [key: string]: unknown;
}

/** A newly created webhook, with its signing secret. */
export interface CreatedWebhook extends Webhook {
  /** The signing secret, not enumerable. Store it now: the service may not return it again. */
  readonly secret: string;
}

/** Checks the fields of a record that are used, and hides its secret. */
export function webhookOf(value: unknown, answer: Answer): Webhook {
  if (!isRecord(value) || !isPosition(value.id) || typeof value.label !== 'string' || typeof value.url !== 'string') {
    throw notThisApi(answer, 'a webhook with id, label and url');
  }
  const { secret } = value;
  delete value.secret;
  if (typeof secret === 'string' && secret !== '') {
    // A getter, because inspecting hidden keys would print a value.
    Object.defineProperty(value, 'secret', { get: () => secret, enumerable: false });
  }
  return value as unknown as Webhook;
}
