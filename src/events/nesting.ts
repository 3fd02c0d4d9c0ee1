import type { ContractInfo, EventEmitted, EventInput, EventTransaction, MethodInput } from './types.js';

/** How deep an item may nest, counting the item itself. JSON.stringify recurses and must not overflow. */
export const MOST_LEVELS = 256;

/** The only issue of an item that is nested too deep. */
export const TOO_DEEP = 'nested deeper than 256 levels';

/** Whether a value nests deeper than an item may. A cyclic value does. */
export function isTooDeep(value: unknown, levels = MOST_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  // A separate function, because engines optimize object keys only in code that never sees an array.
  if (Array.isArray(value)) return value.some((child) => isTooDeep(child, levels - 1));
  for (const key in value) {
    const child = (value as Record<string, unknown>)[key];
    if (typeof child === 'object' && isTooDeep(child, levels - 1)) return true;
  }
  return false;
}

/** Listing the keys of a larger object can take as much memory as a delivery, so it is avoided. */
export const MANY_KEYS = 1000;

/** Number of keys that are not in the schema. */
function more(object: object, known: number): number {
  let keys = 0;
  for (const _ in object) keys++;
  return keys - known;
}

/** Number of the schema's optional keys that are present. */
const there = (value: unknown): number => (value === undefined ? 0 : 1);

const moreOfContract = (contract: ContractInfo): number => more(contract, 4 + there(contract.addressAlias));

function moreOfInputs(inputs: readonly (EventInput | MethodInput)[], known: number): number {
  let found = 0;
  for (const input of inputs) found += more(input, known) + (typeof input.value === 'string' ? 0 : 1);
  return found;
}

/**
 * Number of unknown keys and of input values that are not text in a checked event. If 0, the event nests no deeper than
 * the schema. Counting keys takes a third of the time of visiting all values.
 */
export function countUnknown(checked: EventEmitted): number {
  const { data } = checked;
  const { event, transaction } = data;
  return (
    more(checked, 3) +
    more(data, 2 + there(transaction)) +
    more(event, 5 + there(event.rawFields)) +
    moreOfContract(event.contract) +
    moreOfInputs(event.inputs, 4) +
    (transaction == null ? 0 : moreOfTransaction(transaction))
  );
}

function moreOfTransaction(transaction: EventTransaction): number {
  const { from, txData, txIndexInBlock, contract, method } = transaction;
  const optional = there(from) + there(txData) + there(txIndexInBlock) + there(contract) + there(method);
  return (
    more(transaction, 3 + optional) +
    (contract == null ? 0 : moreOfContract(contract)) +
    (method == null ? 0 : more(method, 3) + moreOfInputs(method.inputs, 3))
  );
}
