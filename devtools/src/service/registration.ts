import { isRecord } from '../is-record.js';
import { isLoopback } from '../loopback.js';
import { ServiceError } from './service-error.js';
import { EVENT_KINDS, type EventKind } from './webhook.js';

/** The fields of a registration that were given, each of them checked. */
export interface RegistrationFields {
  readonly label?: string | undefined;
  readonly url?: string | undefined;
  readonly subscriptions?: readonly EventKind[] | undefined;
}

const MAX_LABEL = 200;
const MAX_URL = 2048;

/**
 * Checks the fields of a registration; keys that it does not know are left alone.
 *
 * @throws ServiceError 400 with a message that names the field.
 */
export function checkFields(value: unknown): RegistrationFields {
  if (!isRecord(value)) throw new ServiceError(400, 'The body must be a JSON object with label and url.');
  const { label, url, subscriptions } = value;
  if (label !== undefined) checkLabel(label);
  if (url !== undefined) checkUrl(url);
  if (subscriptions !== undefined) checkSubscriptions(subscriptions);
  return { label, url, subscriptions } as RegistrationFields;
}

function checkLabel(label: unknown): void {
  if (typeof label !== 'string' || label.trim() === '' || label.length > MAX_LABEL || !label.isWellFormed()) {
    throw new ServiceError(400, `Field label must be text of 1 to ${MAX_LABEL} characters.`);
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
    throw new ServiceError(400, 'Field url must hold no user name and no password.');
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw new ServiceError(
      400,
      'Field url must be an HTTPS URL. This local service also takes http: where the host is localhost, *.localhost, 127.0.0.1 or [::1].',
    );
  }
}
