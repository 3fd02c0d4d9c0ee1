import { ConfigError } from '../errors.js';

/** The longest delay of a timer, in milliseconds. */
export const MAX_TIMER_MS = 2_147_483_647;

/** The type of a value as error messages name it. Never the value, which may be a misplaced secret. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'a string';
  if (typeof value === 'number') return Number.isNaN(value) ? 'NaN' : 'a number';
  if (typeof value === 'object') return Array.isArray(value) ? 'an array' : 'an object';
  return `a ${typeof value}`;
}

/** The error for an option with an invalid value: `` `secret` must be a non-empty string, got null. `` */
export function optionError(name: string, takes: string, value: unknown): ConfigError {
  return new ConfigError(`\`${name}\` must be ${takes}, got ${typeName(value)}.`);
}

/**
 * Throws ConfigError unless `options` is an object whose own, defined keys are all known. `owner` is the function that
 * takes the options.
 */
export function checkOptions(owner: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new ConfigError(`\`${owner}\` takes an options object, got ${typeName(options)}.`);
  }
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || known.includes(name)) continue;
    throw new ConfigError(`\`${owner}\` has no option \`${name}\`. ${suggestion(name, known)}`);
  }
}

/** Throws ConfigError unless the value of an option is a number in range. */
export function checkNumber(name: string, value: unknown, min: number, max = Number.MAX_SAFE_INTEGER): void {
  if (typeof value === 'number' && value >= min && value <= max) return;
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  const got = typeof value === 'number' && !Number.isNaN(value) ? 'a number out of range' : typeName(value);
  throw new ConfigError(`\`${name}\` must be a number ${range}, got ${got}.`);
}

/** Throws ConfigError unless the value of an option is a whole number in range. */
export function checkWhole(name: string, value: unknown, min: number, max?: number): void {
  checkNumber(name, value, min, max);
  if (!Number.isInteger(value)) throw new ConfigError(`\`${name}\` must be an integer, got a fraction.`);
}

/** Throws ConfigError unless the value of an option is a function. */
export function checkFunction(name: string, value: unknown): void {
  if (typeof value !== 'function') throw optionError(name, 'a function', value);
}

/** Throws ConfigError unless the value can be a store, or is `false` or undefined. */
export function checkStore(store: object | false | undefined): void {
  if (store === undefined || store === false) return;
  const { once, claim, record, release, leaseMs, keysPerRun } = (store ?? {}) as Record<string, unknown>;
  const isLease = [claim, record, release].every((each) => typeof each === 'function');
  if (typeof once !== 'function' && !isLease) throw optionError('store', 'an IdempotencyStore or false', store);
  if (isLease || leaseMs !== undefined) checkNumber('store.leaseMs', leaseMs, 1);
  if (keysPerRun !== undefined) checkNumber('store.keysPerRun', keysPerRun, 1);
}

/** The known name that shares the most pairs of letters with `name`; all names if none is similar. */
function suggestion(name: string, known: readonly string[]): string {
  const wanted = pairsOf(name);
  const likeness = (each: string) => {
    const pairs = pairsOf(each);
    return [...pairs].filter((pair) => wanted.has(pair)).length / (pairs.size + wanted.size);
  };
  const nearest = known.reduce((best, each) => (likeness(each) > likeness(best) ? each : best));
  return likeness(nearest) > 0.2 ? `Did you mean \`${nearest}\`?` : `It takes ${known.join(', ')}.`;
}

function pairsOf(name: string): Set<string> {
  const letters = `^${name.toLowerCase()}$`;
  return new Set(Array.from({ length: letters.length - 1 }, (_, at) => letters.slice(at, at + 2)));
}
