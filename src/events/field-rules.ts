import { isRecord } from '../internal/guards.js';
import { MANY_KEYS, MOST_LEVELS } from './nesting.js';
import type { JsonValue, TransactionIncludedData } from './types.js';

/** Whether a value may be the payload of `transaction.included`, which the spec leaves open. */
export function isPayload(value: unknown): value is TransactionIncludedData {
  return isRecord(value);
}

/** Whether a value is a position or a count: a non-negative whole number. */
export function isPosition(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** A whole number beyond the safe range, or infinity, is not the number that was sent. */
function isExact(number: number): boolean {
  return Number.isFinite(number) && (Number.isSafeInteger(number) || !Number.isInteger(number));
}

let isDelivery = false;

/**
 * Runs `check` on the items of a delivery. {@link isInputValue} then takes each number, object and array: {@link mayHoldRounded}
 * looks into them, and listing the keys of a large one again would take too much memory.
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
  // A large array is not copied.
  const children: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return depth < MOST_LEVELS && children.every((child) => isInputValue(child, depth + 1));
}

/**
 * Whether a parsed JSON value may contain a number that JSON.parse rounded (a fraction, or one too large) or nests too deep.
 * Can return true without need: an object of many keys is left to what reads the text.
 */
export function mayHoldRounded(value: unknown, depth = 0): boolean {
  if (typeof value === 'number') return !Number.isSafeInteger(value);
  if (typeof value !== 'object' || value === null) return false;
  if (depth === MOST_LEVELS) return true;
  if (Array.isArray(value)) return mayAnyHoldRounded(value, depth + 1);
  let keys = 0;
  for (const key in value) {
    const child = (value as Record<string, unknown>)[key];
    // Most values are text, which needs no call.
    if (keys++ === MANY_KEYS || (typeof child !== 'string' && mayHoldRounded(child, depth + 1))) return true;
  }
  return false;
}

// Its keys would take more memory than the array itself.
function mayAnyHoldRounded(values: readonly unknown[], depth: number): boolean {
  for (const value of values) if (typeof value !== 'string' && mayHoldRounded(value, depth)) return true;
  return false;
}

/** The objects of an `event.emitted` that its check completes, by the object that contains them. */
const COMPLETED = ['data', 'event', 'transaction', 'contract', 'method'];

/** A copy of an `event.emitted` and of those of its objects that its check completes. */
export function copyOf(value: unknown, depth = 3): unknown {
  if (!isRecord(value)) return value;
  const copy = { ...value };
  if (depth > 0) for (const key of COMPLETED) if (isRecord(copy[key])) copy[key] = copyOf(copy[key], depth - 1);
  return copy;
}

/** Like {@link fillAddressLabel}, on a copy. */
export function withAddressLabel(contract: unknown): unknown {
  return isRecord(contract) ? fillAddressLabel({ ...contract }) : contract;
}

/**
 * Fills in the `addressLabel` of a contract, in place: the live service's `addressAlias`, or `''`. Returns any other value
 * unchanged, for the schema to reject.
 */
export function fillAddressLabel(contract: unknown): unknown {
  if (isRecord(contract) && contract.addressLabel == null) {
    const { addressAlias } = contract;
    // Reflect.set returns false where an assignment would throw: a frozen contract is then rejected for its missing label.
    Reflect.set(contract, 'addressLabel', typeof addressAlias === 'string' ? addressAlias : '');
  }
  return contract;
}

/** Like {@link dropNil}, on a copy. */
export function withoutNil(owner: unknown): unknown {
  return isRecord(owner) ? dropNil({ ...owner }) : owner;
}

/** Replaces what Go writes for nil, in place: `inputs` by an empty list, `rawFields` by none. */
export function dropNil(owner: unknown): unknown {
  if (!isRecord(owner)) return owner;
  if (owner.inputs === null) owner.inputs = [];
  if (owner.rawFields === null) delete owner.rawFields;
  return owner;
}
