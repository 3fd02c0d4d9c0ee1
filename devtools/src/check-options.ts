import { ConfigError } from 'event-webhook-receiver';
import { closest, distance } from 'fastest-levenshtein';

/** The longest delay of a timer, in milliseconds. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** An unknown name is cut to this length. */
const MOST_LETTERS = 40;

/** The type of a value, for error messages. Never the value itself: it may be a secret in the wrong place. */
function typeName(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'a string';
  if (typeof value === 'number') return Number.isNaN(value) ? 'NaN' : 'a number';
  if (typeof value === 'object') return Array.isArray(value) ? 'an array' : 'an object';
  return `a ${typeof value}`;
}

/** The error for an option of the wrong type: `` `file` must be a non-empty string, got null. `` */
export function optionError(name: string, takes: string, value: unknown): ConfigError {
  return new ConfigError(`\`${name}\` must be ${takes}, got ${typeName(value)}.`);
}

/** Throws ConfigError unless `options` is an object whose defined keys are all known. `owner` is what takes the options. */
export function checkOptions(owner: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new ConfigError(`\`${owner}\` must be an options object, got ${typeName(options)}.`);
  }
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || known.includes(name)) continue;
    throw new ConfigError(`\`${owner}\` has no option \`${name.slice(0, MOST_LETTERS)}\`. ${hint(name, known)}`);
  }
}

function hint(name: string, known: readonly string[]): string {
  const nearest = name.length > MOST_LETTERS ? '' : closest(name, known);
  const isNear = distance(nearest.toLowerCase(), name.toLowerCase()) <= Math.max(2, nearest.length / 3);
  return isNear && nearest !== '' ? `Did you mean \`${nearest}\`?` : `It has: ${known.join(', ')}.`;
}

/** Throws ConfigError unless an option is a number in range. */
export function checkNumber(name: string, value: unknown, min: number, max = Number.MAX_SAFE_INTEGER): void {
  if (typeof value === 'number' && value >= min && value <= max) return;
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  const got = typeof value === 'number' && !Number.isNaN(value) ? 'a number out of range' : typeName(value);
  throw new ConfigError(`\`${name}\` must be a number ${range}, got ${got}.`);
}

/** Throws ConfigError unless an option is a function. */
export function checkFunction(name: string, value: unknown): void {
  if (typeof value !== 'function') throw optionError(name, 'a function', value);
}
