import type { AbiFunction } from 'abitype';
import type { TransactionIncluded } from '../events/types.js';
import { hashOf, itemsOf, oncePerAbi } from './abi.js';
import { decodeValues, type Encoded } from './abi-data.js';
import { codecOf } from './codec-of.js';
import { DecodeError } from './decode-error.js';
import type { Hex } from './types.js';

interface FunctionItem {
  readonly name: string;
  readonly signature: string;
  readonly inputs: readonly Encoded[];
}

/** The functions of an ABI by the selector that opens the data of a call: 0x and 8 hex digits. */
const functionItems = oncePerAbi((abi) => {
  const items = new Map<string, FunctionItem[]>();
  for (const { name, inputs: parameters = [] } of itemsOf<AbiFunction>(abi, 'function')) {
    let inputs: Encoded[];
    try {
      inputs = parameters.map((each, at) => ({ codec: codecOf(each), label: each.name || `#${at}` }));
    } catch {
      // No transaction calls it: such types are those of libraries.
      continue;
    }
    const signature = `${name}(${inputs.map(({ codec }) => codec.type).join(',')})`;
    const selector = hashOf(signature).slice(0, 10);
    const others = (items.get(selector) ?? []).filter((item) => item.signature !== signature);
    items.set(selector, [...others, { name, signature, inputs }]);
  }
  return items;
});

/**
 * Decodes the data of a call by an ABI.
 *
 * @returns Name and arguments in the order of the ABI, undefined for none; undefined when no function has the selector.
 * @throws DecodeError `ERR_WEBHOOK_TRANSACTION` when the data does not hold the arguments.
 */
export function decodeCall(event: TransactionIncluded, abi: readonly unknown[], input: Hex) {
  const fail = (where: string, reason: string) => new DecodeError('ERR_WEBHOOK_TRANSACTION', event, where, reason);
  const [found, other] = functionItems(abi).get(input.slice(0, 10)) ?? [];
  if (found === undefined) return undefined;
  if (other !== undefined) {
    throw fail('tx.input', 'has the selector of two functions of the ABI. Give the ABI of the called contract alone.');
  }
  const { name: functionName, inputs } = found;
  const args = decodeValues(inputs, `0x${input.slice(10)}`, (where, reason) =>
    fail(`tx.input, ${where}`, `${reason} The call is not what the ABI says of ${functionName}.`),
  );
  return { functionName, args: inputs.length === 0 ? undefined : args };
}
