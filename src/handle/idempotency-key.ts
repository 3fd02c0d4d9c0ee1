import type { WebhookEvent } from '../events/types.js';
import { typeName } from '../internal/check-options.js';
import { ignorePromise } from '../internal/guards.js';

/** The option `idempotencyKey`. */
export type IdempotencyKey = (event: WebhookEvent) => string;

/**
 * The key of an event within its source. Throws what `idempotencyKey` throws; TypeError if the key is empty or no text.
 */
export function keyOf(idempotencyKey: IdempotencyKey, event: WebhookEvent, source: string | undefined): string {
  const key: unknown = idempotencyKey(event);
  // An empty key means a missing field, and events that share it would suppress each other.
  if (typeof key === 'string' && key !== '') return keyWithin(source, key);
  ignorePromise(key);
  throw new TypeError(`\`idempotencyKey\` must return a non-empty string synchronously, got ${typeName(key)}.`);
}

/**
 * Distinct pairs of source and key never collide, with or without a source: `::` ends a source, in which colons are
 * escaped, and a key without a source that contains `::` is prefixed with it.
 */
function keyWithin(source: string | undefined, key: string): string {
  if (source !== undefined) return `${source.replace(/[%:]/g, encodeURIComponent)}::${key}`;
  return key.includes('::') ? `::${key}` : key;
}

/** The default `idempotencyKey`. */
export function kindAndId(event: WebhookEvent): string {
  return `${event.event}:${event.id}`;
}

/** Whether `key` is the result of `keyOf` with the default `idempotencyKey`, for any source. */
export function isDefaultKey(key: string, event: WebhookEvent): boolean {
  const own = kindAndId(event);
  return key === own || key.endsWith(`::${own}`);
}
