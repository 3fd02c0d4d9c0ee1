import { ConfigError } from 'event-webhook-receiver';

/** The longest that a timer can be set to, in milliseconds. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Throws ConfigError unless the value of an option is a number in range. */
export function checkNumber(name: string, value: unknown, min: number, max = Number.MAX_SAFE_INTEGER): void {
  if (typeof value === 'number' && value >= min && value <= max) return;
  throw new ConfigError(`Option ${name} must be a number from ${min} to ${max}.`);
}
