import { isLoopback, isRecord } from '../guards.js';
import { ServiceError } from './service-error.js';
import { EVENT_KINDS, type NewWebhook } from './webhook.js';

/** The checked fields of a webhook to create or update. */
export type WebhookFields = Partial<NewWebhook>;

const MAX_LABEL = 200;
const MAX_URL = 2048;

/**
 * Checks the fields of a webhook to create or update. Ignores unknown keys.
 *
 * @throws ServiceError 400 with a message that names the field.
 */
export function checkFields(value: unknown): WebhookFields {
  if (!isRecord(value)) throw new ServiceError(400, 'The body must be a JSON object with label and url.');
  const { label, url, subscriptions } = value;
  if (label !== undefined) checkLabel(label);
  if (url !== undefined) checkUrl(url);
  if (subscriptions !== undefined) checkSubscriptions(subscriptions);
  return { label, url, subscriptions } as WebhookFields;
}

function checkLabel(label: unknown): void {
  if (typeof label !== 'string' || label.trim() === '' || label.length > MAX_LABEL || !label.isWellFormed()) {
    throw new ServiceError(400, `Field label must be a string of 1 to ${MAX_LABEL} characters.`);
  }
}

function checkSubscriptions(subscriptions: unknown): void {
  const kinds: readonly unknown[] = Array.isArray(subscriptions) ? subscriptions : [];
  const known = kinds.every((kind) => (EVENT_KINDS as readonly unknown[]).includes(kind));
  if (kinds.length === 0 || !known || new Set(kinds).size < kinds.length) {
    throw new ServiceError(400, `Field subscriptions must be a list of one or both of: ${EVENT_KINDS.join(', ')}.`);
  }
}

function checkUrl(value: unknown): void {
  const url = typeof value === 'string' && value.length <= MAX_URL && URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined) {
    throw new ServiceError(400, `Field url must be an absolute URL of at most ${MAX_URL} characters.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new ServiceError(400, 'Field url must not contain a user name or password.');
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw new ServiceError(
      400,
      'Field url must be an HTTPS URL. The local service also accepts http: for the hosts localhost, *.localhost, 127.0.0.1 and [::1].',
    );
  }
}
