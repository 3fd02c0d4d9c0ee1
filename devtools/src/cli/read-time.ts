import { usageError } from './command-error.js';

/**
 * Reads a time from the command line: Unix seconds, Unix milliseconds (12 digits or more), or ISO 8601. Returns Unix
 * milliseconds.
 *
 * @param option The option it belongs to, without dashes.
 */
export function readTime(text: string, option: string): number {
  if (/^\d{1,15}$/.test(text)) return text.length < 12 ? Number(text) * 1000 : Number(text);
  const time = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw usageError(`--${option} must be a time: Unix seconds such as 1700000000, or 2026-01-31T12:00:00Z.`);
}
