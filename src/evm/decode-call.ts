import type { AbiFunction } from 'abitype';
import type { TransactionIncluded } from '../events.js';
import { hashOf, itemsOf, oncePerAbi } from './abi.js';
import { decodeData, firstUndecodable } from './abi-data.js';
import type { Codec } from './codec.js';
import { codecOf } from './codec-of.js';
import { DecodeError, Problem } from './decode-error.js';
import type { Hex } from './types.js';

interface FunctionItem {
  readonly name: string;
  readonly signature: string;
  readonly codecs: readonly Codec[];
  /** Names of the inputs, or their positions where they have none: for messages. */
  readonly labels: readonly string[];
}

/** The functions of an ABI by the selector that opens the data of a call: 0x and 8 hex digits. */
const functionItems = oncePerAbi((abi) => {
  const items = new Map<string, FunctionItem[]>();
  for (const { name, inputs = [] } of itemsOf<AbiFunction>(abi, 'function')) {
    let codecs: Codec[];
    try {
      codecs = inputs.map(codecOf);
    } catch {
      // No transaction calls it: such types are those of libraries.
      continue;
    }
    const signature = `${name}(${codecs.map(({ type }) => type).join(',')})`;
    const selector = hashOf(signature).slice(0, 10);
    const others = (items.get(selector) ?? []).filter((item) => item.signature !== signature);
    const labels = inputs.map((input, at) => input.name || `#${at}`);
    items.set(selector, [...others, { name, signature, codecs, labels }]);
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
  const [found, other] = functionItems(abi).get(input.slice(0, 10)) ?? [];
  if (found === undefined) return undefined;
  if (other !== undefined) {
    const reason = 'has the selector of two functions of the ABI. Give the ABI of the called contract alone.';
    throw new DecodeError('ERR_WEBHOOK_TRANSACTION', event, 'tx.input', reason);
  }
  const { name, codecs, labels } = found;
  if (codecs.length === 0) return { functionName: name, args: undefined };
  const encoded: Hex = `0x${input.slice(10)}`;
  const fail = (at: number, path: string) => {
    const where = `tx.input, ${labels[at] ?? name}${path}`;
    const reason = `does not hold a value of the type that it has in ${name} of the ABI. Is it that of the contract?`;
    return new DecodeError('ERR_WEBHOOK_TRANSACTION', event, where, reason);
  };
  let values: unknown[];
  try {
    values = decodeData(codecs, encoded);
  } catch {
    throw fail(firstUndecodable(codecs, encoded), '');
  }
  const args = codecs.map(({ fromChain }, at) => {
    try {
      return fromChain ? fromChain(values[at]) : values[at];
    } catch (error) {
      throw error instanceof Problem ? fail(at, error.path) : error;
    }
  });
  return { functionName: name, args };
}
