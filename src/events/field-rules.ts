import { isRecord } from '../internal/guards.js';
import { isExact } from './exact-json.js';
import { MANY_KEYS, MOST_LEVELS } from './nesting.js';
import type { JsonValue } from './types.js';

/** Whether a value is a position or a count: a non-negative whole number. */
export function isPosition(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

let isDelivery = false;

/**
 * Runs `check` on the items of a delivery. Meanwhile {@link isInputValue} accepts every number, object and array:
 * {@link mayHoldRounded} inspects them, and listing the keys of a large object twice would take too much memory.
 */
export function asDelivery<Result>(check: () => Result): Result {
  isDelivery = true;
  try {
    return check();
  } finally {
    isDelivery = false;
  }
}

/** Whether a value can be an input: JSON without numbers that were certainly rounded. */
export function isInputValue(value: unknown, depth = 0): value is JsonValue {
  if (typeof value === 'number') return isDelivery || isExact(value);
  if (typeof value !== 'object') return typeof value === 'string' || typeof value === 'boolean';
  if (value === null || isDelivery) return true;
  const children: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return depth < MOST_LEVELS && children.every((child) => isInputValue(child, depth + 1));
}

/**
 * Whether a parsed JSON value may contain a number that JSON.parse rounded (a fraction, or one too large) or nests too
 * deep. False positives are possible: objects with many keys are left to the exact parser.
 */
export function mayHoldRounded(value: unknown, depth = 0): boolean {
  if (typeof value === 'number') return !Number.isSafeInteger(value);
  if (typeof value !== 'object' || value === null) return false;
  if (depth === MOST_LEVELS) return true;
  // Listing an array's keys takes more memory than the array.
  if (Array.isArray(value)) return value.some((child) => mayHoldRounded(child, depth + 1));
  let keys = 0;
  for (const key in value) {
    const child = (value as Record<string, unknown>)[key];
    // Most values are text.
    if (keys++ === MANY_KEYS || (typeof child !== 'string' && mayHoldRounded(child, depth + 1))) return true;
  }
  return false;
}

/** The objects of an `event.emitted` that its check completes, by parent. */
const COMPLETED = ['data', 'event', 'transaction', 'contract', 'method'];

/** A copy of an `event.emitted` and of those of its objects that its check completes. */
export function copyOf(value: unknown, depth = 3): unknown {
  if (!isRecord(value)) return value;
  const copy = { ...value };
  if (depth > 0) for (const key of COMPLETED) if (isRecord(copy[key])) copy[key] = copyOf(copy[key], depth - 1);
  return copy;
}

/** Like {@link fillAddressLabel}, on a copy of an object. */
export function withAddressLabel(contract: unknown): unknown {
  return isRecord(contract) ? fillAddressLabel({ ...contract }) : contract;
}

/** Sets a missing `addressLabel` of a contract, in place, to the live service's `addressAlias` or `''`. */
export function fillAddressLabel(contract: Record<string, unknown>): unknown {
  const { addressLabel, addressAlias } = contract;
  contract.addressLabel = addressLabel ?? (typeof addressAlias === 'string' ? addressAlias : '');
  return contract;
}

/** Like {@link dropNil}, on a copy of an object. */
export function withoutNil(owner: unknown): unknown {
  return isRecord(owner) ? dropNil({ ...owner }) : owner;
}

/** Replaces Go's null in place: `inputs` becomes an empty list, `rawFields` is removed. */
export function dropNil(owner: Record<string, unknown>): unknown {
  if (owner.inputs === null) owner.inputs = [];
  if (owner.rawFields === null) delete owner.rawFields;
  return owner;
}
