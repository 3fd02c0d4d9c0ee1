import { usageError } from './command-error.js';

/**
 * A time from the command line in Unix milliseconds: Unix seconds, Unix milliseconds from 12 digits on, or ISO 8601.
 *
 * @param flag The flag that it is of, without dashes.
 */
export function readTime(text: string, flag: string): number {
  if (/^\d{1,15}$/.test(text)) return text.length < 12 ? Number(text) * 1000 : Number(text);
  const time = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw usageError(`--${flag} is a time: Unix seconds such as 1700000000, or 2026-01-31T12:00:00Z.`);
}
