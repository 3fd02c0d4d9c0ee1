import { isRecord } from '../internal/guards.js';
import { MOST_LEVELS } from './nesting.js';
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

/** Whether a value can be an input: JSON without numbers that were certainly rounded. */
export function isInputValue(value: unknown, depth = 0): value is JsonValue {
  if (typeof value === 'number') return isExact(value);
  if (typeof value !== 'object') return typeof value === 'string' || typeof value === 'boolean';
  return (
    value === null || (depth < MOST_LEVELS && Object.values(value).every((child) => isInputValue(child, depth + 1)))
  );
}

/** Whether a parsed JSON value may contain a number that JSON.parse rounded (a fraction, or one too large) or nests too deep. */
export function mayHoldRounded(value: unknown, depth = 0): boolean {
  if (typeof value === 'number') return !Number.isSafeInteger(value);
  if (typeof value !== 'object' || value === null) return false;
  if (depth === MOST_LEVELS) return true;
  for (const key in value) {
    const child = (value as Record<string, unknown>)[key];
    // Most values are text, which needs no call.
    if (typeof child !== 'string' && mayHoldRounded(child, depth + 1)) return true;
  }
  return false;
}

/** What emitted an event, or what a transaction called: its contract lacks an `addressLabel`. */
interface Unlabelled {
  readonly contract: Record<string, unknown>;
}

const lacksLabel = (owner: unknown): owner is Unlabelled =>
  isRecord(owner) && isRecord(owner.contract) && owner.contract.addressLabel == null;

const labelled = (owner: Unlabelled): unknown => ({ ...owner, contract: withAddressLabel(owner.contract) });

/**
 * An `event.emitted` in which every contract has its `addressLabel`: a copy of the objects around a contract that lacks one,
 * or the value itself.
 */
export function withAddressLabels(value: unknown): unknown {
  if (!isRecord(value) || !isRecord(value.data)) return value;
  const { event, transaction } = value.data;
  if (!lacksLabel(event) && !lacksLabel(transaction)) return value;
  const data = { ...value.data };
  if (lacksLabel(event)) data.event = labelled(event);
  if (lacksLabel(transaction)) data.transaction = labelled(transaction);
  return { ...value, data };
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
    // Reflect.set returns false where an assignment would throw: a frozen contract is then rejected for its missing label.
    Reflect.set(contract, 'addressLabel', contract.addressAlias ?? '');
  }
  return contract;
}
