import type { ContractInfo, EventEmitted, EventInput, EventTransaction, MethodInput } from './types.js';

/** How deep an item may nest, counting the item itself. JSON.stringify recurses and must not overflow. */
export const MOST_LEVELS = 256;

/** The only issue of an item that is nested too deep. */
export const TOO_DEEP = 'nested deeper than 256 levels';

/** Whether a value nests deeper than an item may. One that contains itself does. */
export function isTooDeep(value: unknown, levels = MOST_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  // A separate function: engines are fast at object keys only where they never see an array.
  if (Array.isArray(value)) return value.some((child) => isTooDeep(child, levels - 1));
  for (const key in value) {
    const child = (value as Record<string, unknown>)[key];
    if (typeof child === 'object' && isTooDeep(child, levels - 1)) return true;
  }
  return false;
}

/**
 * Cuts off the levels that are too deep in a parsed JSON value, in place, so that it can be serialized. Leaves one level
 * too many, so that a rejected item is not valid when it is parsed again.
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

/** How many of the schema's optional keys an object has. */
const there = (value: unknown): number => (value === undefined ? 0 : 1);

const isPlainContract = (contract: ContractInfo): boolean => keysOf(contract) === 4 + there(contract.addressAlias);

function arePlain(inputs: readonly (EventInput | MethodInput)[], keys: number): boolean {
  for (const input of inputs) if (typeof input.value !== 'string' || keysOf(input) !== keys) return false;
  return true;
}

/**
 * Whether a checked event has only the schema's keys, with text as input values, so that it nests no deeper than the
 * schema. Counting keys takes a third of the time of visiting all values. Can return false without need.
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
  const { from, txData, txIndexInBlock, contract, method } = transaction;
  const optional = there(from) + there(txData) + there(txIndexInBlock) + there(contract) + there(method);
  return (
    keysOf(transaction) === 3 + optional &&
    (contract == null || isPlainContract(contract)) &&
    (method == null || (keysOf(method) === 3 && arePlain(method.inputs, 3)))
  );
}
