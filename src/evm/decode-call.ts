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
  readonly codecs: readonly Codec[];
  /** Names of the inputs, or their positions where they have none: for messages. */
  readonly labels: readonly string[];
}

/** The functions of an ABI by the selector that opens the data of a call: 0x and 8 hex digits. */
const functionItems = oncePerAbi(
  (abi) =>
    new Map(
      itemsOf<AbiFunction>(abi, 'function').map(({ name, inputs }): [string, FunctionItem] => {
        const codecs = inputs.map(codecOf);
        const hash = hashOf(`${name}(${codecs.map(({ type }) => type).join(',')})`);
        return [hash.slice(0, 10), { name, codecs, labels: inputs.map((input, at) => input.name || `#${at}`) }];
      }),
    ),
);

/**
 * Decodes the data of a call by an ABI.
 *
 * @returns Name and arguments in the order of the ABI, undefined for none; undefined when no function has the selector.
 * @throws DecodeError `ERR_WEBHOOK_TRANSACTION` when the data does not hold the arguments.
 */
export function decodeCall(event: TransactionIncluded, abi: readonly unknown[], input: Hex) {
  const found = functionItems(abi).get(input.slice(0, 10));
  if (found === undefined) return undefined;
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
