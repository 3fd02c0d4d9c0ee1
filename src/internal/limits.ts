import { ConfigError } from '../errors.js';

/** The longest that a timer can be set to, in milliseconds. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Throws ConfigError unless the value of an option is a number in range. */
export function checkNumber(name: string, value: unknown, min: number, max = Number.MAX_SAFE_INTEGER): void {
  if (typeof value === 'number' && value >= min && value <= max) return;
  throw new ConfigError(`Option ${name} must be a number from ${min} to ${max}.`);
}

/** Throws ConfigError unless the value can be a store, or turns it off. */
export function checkStore(store: { readonly once?: unknown; readonly leaseMs?: unknown } | false | undefined): void {
  if (!store) return;
  if (typeof store.once !== 'function') throw new ConfigError('Option store must be an IdempotencyStore or false.');
  const { leaseMs } = store;
  if (leaseMs === undefined || (typeof leaseMs === 'number' && leaseMs > 0)) return;
  throw new ConfigError('`leaseMs` of the store must be a number of milliseconds above 0.');
}
