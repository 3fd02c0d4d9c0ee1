import { isPosition } from '../events/field-rules.js';
import type { EventKind } from '../events/types.js';
import { isRecord } from '../internal/guards.js';
import { notThisApi } from './result.js';
import type { Answer } from './transport.js';

/** What a webhook is registered with (spec section 2.1, and `subscriptions` of the live API). */
export interface NewWebhook {
  readonly label: string;
  /** Where deliveries go: an `https:` URL, or `http:` to this machine from a service on it. */
  readonly url: string;
  /** Which events it gets. `null` sends no such key, as the specification has none. (Default: both kinds.) */
  readonly subscriptions?: readonly EventKind[] | null | undefined;
}

/** What of a webhook is to be another; what is absent stays. */
export interface WebhookChanges {
  readonly label?: string | undefined;
  readonly url?: string | undefined;
  readonly subscriptions?: readonly EventKind[] | undefined;
}

/** A webhook as the service has it. Keys that are not known here are kept. */
export interface Webhook {
  readonly id: number;
  readonly label: string;
  readonly url: string;
  readonly subscriptions?: readonly string[] | undefined;
  /** RFC 3339 time, as the others. */
  readonly createdAt?: string | undefined;
  readonly updatedAt?: string | undefined;
  /** Deliveries that failed in a row. */
  readonly failedCalls?: number | undefined;
  readonly nextAttempt?: string | null | undefined;
  readonly lastAttempt?: string | null | undefined;
  readonly lastError?: string | null | undefined;
  /**
   * The signing secret, where the service gives it: at creation, and the live API with `get` too. It is not enumerable:
   * logging, serialising, spreading or cloning the record leaves it out, so take it from here.
   */
  readonly secret?: string | undefined;
  readonly [key: string]: unknown;
}

/** A webhook that was just created. */
export interface CreatedWebhook extends Webhook {
  /** The signing secret. The service may never show it again: store it now. It is not enumerable. */
  readonly secret: string;
}

/** Checks what is used of a record, and takes its secret out of sight. */
export function webhookOf(value: unknown, answer: Answer): Webhook {
  if (!isRecord(value) || !isPosition(value.id) || typeof value.label !== 'string' || typeof value.url !== 'string') {
    throw notThisApi(answer, 'a webhook with id, label and url');
  }
  const { secret } = value;
  delete value.secret;
  if (typeof secret === 'string' && secret !== '') {
    // A getter, as inspecting hidden keys would show a value.
    Object.defineProperty(value, 'secret', { get: () => secret, enumerable: false });
  }
  return value as unknown as Webhook;
}
