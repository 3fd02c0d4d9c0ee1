import type { AbiFunction } from 'abitype';
import type { TransactionIncluded } from '../events/types.js';
import { isRecord } from '../internal/guards.js';
import { hashOf, itemsOf, oncePerAbi } from './abi-items.js';
import { codecOf } from './codec-of.js';
import { DecodeError } from './decode-error.js';
import { decodeValues, type Encoded } from './decode-values.js';
import { WireFields } from './hex.js';
import type { DecodedTransaction, Hex } from './types.js';

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

/**
 * Decodes a `transaction.included` (spec section 6): its quantities, which the wire has as hex text, as bigints, and with
 * an ABI the call that it makes. The spec leaves the payload open, so what is absent is undefined; what is there and
 * malformed is an error. All hex text is lower case.
 *
 * It has taken effect when `status` is `included` and `failed` is false: look at both first. One that reverted is decoded
 * like any other, but for a call that cannot be decoded, which is then left out.
 *
 * @example
 * ```ts
 * import { parseAbi } from 'abitype';
 * import { parseTransactionIncluded } from 'event-webhook-receiver';
 * import { decodeTransaction } from 'event-webhook-receiver/evm';
 * import { sampleTransactionIncluded } from 'event-webhook-receiver/testing';
 *
 * const event = parseTransactionIncluded(sampleTransactionIncluded());
 * const { failed, value, call } = decodeTransaction(event, parseAbi(['function transfer(address to, uint256 value)']));
 * console.log(failed, value, call?.functionName, call?.args[1]); // false 0n transfer 1000000000000000000n
 * ```
 * @param abi ABI of the called contract. It is read once, so keep one object and do not change it. (Default: none, and
 * `call` is undefined.)
 * @throws DecodeError `ERR_WEBHOOK_TRANSACTION` when a part is malformed or the input does not hold the arguments of the
 * function that it names; `ERR_WEBHOOK_CONTRADICTION` when it names two senders.
 */
export function decodeTransaction<const Abi extends readonly unknown[] = readonly []>(
  event: TransactionIncluded,
  abi?: Abi,
): DecodedTransaction<Abi> {
  const { data } = event;
  const tx = data.tx ?? {};
  if (!isRecord(tx)) return fail(event, 'tx', 'an object');
  const outer = new WireFields(data, (key, expected) => fail(event, key, expected));
  const inner = new WireFields(tx, (key, expected) => fail(event, `tx.${key}`, expected));
  const quantity = (key: string) => inner.optional(key, inner.quantity);

  const from = outer.optional('from', outer.address) ?? undefined;
  const sender = inner.optional('from', inner.address) ?? from;
  if (from !== undefined && sender !== from) {
    const reason = 'is not tx.from, so one of the two is wrong and nothing was decoded. Report it to the service.';
    throw new DecodeError('ERR_WEBHOOK_CONTRADICTION', event, 'from', reason);
  }
  const to = inner.optional('to', inner.address);
  const input = inner.optional('input', inner.bytes) ?? undefined;
  const status = data.status ?? undefined;
  const failed = data.failed ?? undefined;
  const blockNumber = data.blockNumber ?? undefined;
  if (status !== undefined && typeof status !== 'string') fail(event, 'status', 'text');
  if (failed !== undefined && typeof failed !== 'boolean') fail(event, 'failed', 'true or false');
  if (blockNumber !== undefined && !(Number.isSafeInteger(blockNumber) && blockNumber >= 0)) {
    fail(event, 'blockNumber', 'the number of a block');
  }
  return {
    hash: inner.optional('hash', inner.hash) ?? undefined,
    from: sender,
    to,
    type: quantity('type'),
    chainId: quantity('chainId'),
    nonce: quantity('nonce'),
    gas: quantity('gas'),
    gasPrice: quantity('gasPrice'),
    maxPriorityFeePerGas: quantity('maxPriorityFeePerGas'),
    maxFeePerGas: quantity('maxFeePerGas'),
    value: quantity('value'),
    v: quantity('v'),
    yParity: quantity('yParity'),
    input,
    status,
    failed,
    blockNumber: blockNumber === undefined ? undefined : BigInt(blockNumber),
    blockHash: outer.optional('blockHash', outer.hash) ?? undefined,
    // What creates a contract has code for its input, which calls nothing.
    call: (abi && input && to !== null ? callOf(event, abi, input) : undefined) as never,
  };
}

/** The call; none where it could not be read by the contract either, and so reverted. */
function callOf(event: TransactionIncluded, abi: readonly unknown[], input: Hex) {
  try {
    return decodeCall(event, abi, input);
  } catch (error) {
    if (event.data.failed === true && error instanceof DecodeError) return undefined;
    throw error;
  }
}

function fail(event: TransactionIncluded, key: string, expected: string): never {
  throw new DecodeError('ERR_WEBHOOK_TRANSACTION', event, key, `is not ${expected}. Report it to the service.`);
}
