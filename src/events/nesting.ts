import type { ContractInfo, EventEmitted, EventInput, EventTransaction, MethodInput } from './types.js';

/** How deep an item may nest; the item itself is the first level. What writes JSON recurses, and must not overflow. */
export const MOST_LEVELS = 256;

/** The one issue of an item that is nested too deep. */
export const TOO_DEEP = 'nested deeper than 256 levels';

/** Whether objects and arrays in a value nest deeper than an item may. A value that contains itself does. */
export function isTooDeep(value: unknown, levels = MOST_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  // Apart, as engines are fast at the keys of objects only where no array was seen.
  if (Array.isArray(value)) return value.some((child) => isTooDeep(child, levels - 1));
  for (const key in value) {
    const child = (value as Record<string, unknown>)[key];
    if (typeof child === 'object' && isTooDeep(child, levels - 1)) return true;
  }
  return false;
}

/**
 * Replaces what is nested deeper still in a parsed JSON value, in place, so that it can be serialised. One level too many
 * is left: what was refused must not pass as valid when it is parsed again.
 */
export function cutNesting(value: unknown, levels = MOST_LEVELS + 1): void {
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    const child = (value as Record<string, unknown>)[key];
    if (levels > 1) cutNesting(child, levels - 1);
    else if (typeof child === 'object' && child !== null) (value as Record<string, unknown>)[key] = '…';
  }
}

function keysOf(object: object): number {
  let keys = 0;
  for (const _ in object) keys++;
  return keys;
}

/** How many keys an object has that the schema lets be absent. */
const there = (value: unknown): number => (value === undefined ? 0 : 1);

const isPlainContract = (contract: ContractInfo): boolean => keysOf(contract) === 4 + there(contract.addressAlias);

function arePlain(inputs: readonly (EventInput | MethodInput)[], keys: number): boolean {
  for (const input of inputs) if (typeof input.value !== 'string' || keysOf(input) !== keys) return false;
  return true;
}

/**
 * Whether a checked event has no keys but those of the schema and only text for values, so that it nests as the schema
 * does. Counting keys takes a third of the time that looking at all values does. Errs towards no.
 */
export function isPlain(checked: EventEmitted): boolean {
  const { data } = checked;
  const { event, transaction } = data;
  return (
    keysOf(checked) === 3 &&
    keysOf(data) === 2 + there(transaction) &&
    keysOf(event) === 5 + there(event.rawFields) &&
    isPlainContract(event.contract) &&
    arePlain(event.inputs, 4) &&
    (transaction == null || isPlainTransaction(transaction))
  );
}

function isPlainTransaction(transaction: EventTransaction): boolean {
  const { contract, method } = transaction;
  return (
    keysOf(transaction) === 6 + there(contract) + there(method) &&
    (contract == null || isPlainContract(contract)) &&
    (method == null || (keysOf(method) === 3 && arePlain(method.inputs, 3)))
  );
}
