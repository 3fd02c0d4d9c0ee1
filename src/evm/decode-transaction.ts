import type { AbiFunction } from 'abitype';
import type { TransactionIncluded } from '../events/types.js';
import { isRecord } from '../internal/guards.js';
import { AbiData } from './abi-data.js';
import { itemsOf, oncePerAbi } from './abi-items.js';
import { decodeValues, type Encoded } from './codec.js';
import { codecOf } from './codec-of.js';
import { DecodeError } from './decode-error.js';
import { WireFields } from './hex.js';
import { hashOf } from './keccak.js';
import type { DecodedTransaction, Hex, ParsedAbi } from './types.js';

/** A function of an ABI. */
export interface FunctionItem {
  readonly name: string;
  readonly signature: string;
  readonly inputs: readonly (Encoded & { readonly name: string })[];
}

/** Characters of a selector: 0x and 8 hex digits. */
export const SELECTOR = 10;

/**
 * The functions of an ABI by selector. Those whose types cannot be decoded, such as those of libraries, are left out.
 *
 * @param textOf Decodes the UTF-8 of strings; see `codecOf`.
 */
export function readFunctions(abi: unknown, skip: (name: string) => void, textOf?: (bytes: Uint8Array) => string) {
  const items = new Map<string, FunctionItem[]>();
  for (const { name, inputs: parameters = [] } of itemsOf<AbiFunction>(abi, 'function', skip)) {
    let inputs: FunctionItem['inputs'];
    try {
      inputs = parameters.map((parameter, at) => {
        const { name = '' } = parameter;
        return { name, label: name || `#${at}`, codec: codecOf(parameter, textOf) };
      });
    } catch {
      skip(name);
      continue;
    }
    const signature = `${name}(${inputs.map(({ codec }) => codec.type).join(',')})`;
    const selector = hashOf(signature).slice(0, SELECTOR);
    const others = (items.get(selector) ?? []).filter((item) => item.signature !== signature);
    items.set(selector, [...others, { name, signature, inputs }]);
  }
  return items;
}

const functionItems = oncePerAbi((abi) => readFunctions(abi, () => {}));

/**
 * Decodes the data of a call by an ABI.
 *
 * @returns Name and arguments in the order of the ABI; `undefined` when no function has the selector.
 * @throws DecodeError `ERR_WEBHOOK_TRANSACTION` when the data does not contain the arguments.
 */
function decodeCall(event: TransactionIncluded, abi: unknown, input: Hex) {
  const fail = (where: string, reason: string) => new DecodeError('ERR_WEBHOOK_TRANSACTION', event, where, reason);
  const [found, other] = functionItems(abi).get(input.slice(0, SELECTOR)) ?? [];
  if (found === undefined) return undefined;
  if (other !== undefined) {
    throw fail(
      'tx.input',
      'has a selector that two functions of the ABI share. Pass only the ABI of the called contract.',
    );
  }
  const { name: functionName, inputs } = found;
  const args = decodeValues(inputs, new AbiData(input, SELECTOR), (where, reason) =>
    fail(`tx.input, ${where}`, `${reason} The call does not match ${functionName} of the ABI.`),
  );
  return { functionName, args: inputs.length === 0 ? undefined : args };
}

/**
 * Decodes a `transaction.included` (spec section 6): quantities as bigints, and with an ABI the call. It does not check
 * whether the transaction took effect: it did when `status` is `included` and `failed` is `false`.
 *
 * The spec leaves the payload open: an absent field is `undefined`, a malformed one is an error. All hex text is returned
 * in lower case. A transaction that reverted is decoded too; a call of it that cannot be decoded is left out.
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
 * @param event An event from a receiver or a parser.
 * @param abi ABI of the called contract. It is read once per object: reuse the object and do not change it. (Default: none;
 * `call` is `undefined`.)
 * @returns The decoded transaction.
 * @throws DecodeError `ERR_WEBHOOK_TRANSACTION` when a field is malformed or the input does not contain the arguments of
 * its function; `ERR_WEBHOOK_CONTRADICTION` when the event names two senders; ConfigError `ERR_WEBHOOK_CONFIG` when `abi`
 * is not an ABI.
 */
export function decodeTransaction<const Abi extends readonly unknown[] = readonly []>(
  event: TransactionIncluded,
  abi?: ParsedAbi<Abi>,
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
    const reason = 'differs from tx.from, so one of them is wrong and nothing was decoded. Report it to the service.';
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
    // The input of a transaction that creates a contract is code, not a call.
    call: (abi && input && to !== null ? callOf(event, abi, input) : undefined) as never,
  };
}

/** The call; undefined for a reverted call that cannot be decoded. */
function callOf(event: TransactionIncluded, abi: unknown, input: Hex) {
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
