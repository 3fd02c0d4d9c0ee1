import type { AbiEvent } from 'abitype';
import { contractAbi } from '../chain/contract-abi.js';
import { ConfigError } from '../errors.js';
import type { EventEmitted, JsonValue } from '../events/types.js';
import { type AbiEventItem, abiEventItem, itemsOf } from '../evm/abi-items.js';
import { canonical } from '../evm/choose-event.js';
import { Problem } from '../evm/decode-error.js';
import { addressCodec } from '../evm/elementary-codecs.js';
import { isHash } from '../evm/hex.js';
import type { AbiEventItems, EventArgs, EventNames, ParsedAbi } from '../evm/types.js';
import { checkOptions, optionError } from '../internal/check-options.js';
import { isRecord } from '../internal/guards.js';
import { encodeEvent } from './encode-event.js';
import { BLOCK_HASH, sampleEventEmitted, TOKEN, txHashOf } from './samples.js';

/** An event's inputs as if none were indexed: for an indexed string, pass the value; the topic gets its hash. */
type Plain<Item> = Item extends { inputs: infer Inputs extends readonly unknown[] }
  ? { inputs: { readonly [I in keyof Inputs]: Omit<Inputs[I], 'indexed'> } }
  : Item;

/**
 * The arguments that {@link sampleContractEvent} takes: an object by name, or an array if an input has no name. Values
 * have viem's types; for an indexed string, bytes, array or struct, pass the value, not its hash.
 */
export type SampleArgs<Abi extends readonly unknown[], Name extends EventNames<Abi> = EventNames<Abi>> =
  AbiEventItems<Abi, Name> extends infer Item ? (Item extends unknown ? EventArgs<Plain<Item>> : never) : never;

interface SamplePlace {
  /** Address of the contract. (Default: that of `sampleEventEmitted`.) */
  readonly address?: string | undefined;
  /** `true` for the notice that a re-org removed the log. (Default: `false`.) */
  readonly removed?: boolean | undefined;
  /** Identifier of the event. (Default: a random UUID.) */
  readonly id?: string | undefined;
  /** Hash of the transaction: 32 bytes. (Default: derived from `id`, so that two samples are different logs.) */
  readonly transactionHash?: string | undefined;
  /** Hash of the block: 32 bytes. (Default: the same for all samples.) */
  readonly blockHash?: string | undefined;
  /** Number of the block. (Default: 16.) */
  readonly blockNumber?: number | undefined;
  /** Position of the log in its block. (Default: 0.) */
  readonly logIndex?: number | undefined;
}

/** Options of {@link sampleContractEvent}. */
export type SampleContractEventOptions<
  Abi extends readonly unknown[],
  Name extends EventNames<Abi> = EventNames<Abi>,
> = SamplePlace & {
  /** ABI of the contract: parsed by `parseAbi`, or declared `as const` for its types. */
  readonly abi: ParsedAbi<Abi>;
  /** Name of an event of the ABI, or its signature (`Transfer(address,address,uint256)`) if it is overloaded. */
  readonly name: Name | `${Name}(${string})`;
} & (undefined extends SampleArgs<Abi, Name>
    ? { readonly args?: SampleArgs<Abi, Name> }
    : { readonly args: SampleArgs<Abi, Name> });

const KEYS = [
  ...['abi', 'name', 'args', 'address', 'removed', 'id'],
  ...['transactionHash', 'blockHash', 'blockNumber', 'logIndex'],
];

/**
 * Returns an `event.emitted` of a contract in the live service's format. Topics, data, `rawFields` and inputs are made
 * from the same arguments, so that `decodeEvent` and `contractEvent` with `requireLog: true` decode it. The transaction
 * is a sample without a decoded method.
 *
 * @example
 * ```ts
 * import { parseAbi } from 'abitype';
 * import { decodeEvent } from 'event-webhook-receiver/evm';
 * import { sampleContractEvent } from 'event-webhook-receiver/testing';
 *
 * const abi = parseAbi(['event Approval(address indexed owner, address indexed spender, uint256 value)']);
 * const owner = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
 * const spender = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
 *
 * const event = sampleContractEvent({ abi, name: 'Approval', args: { owner, spender, value: 5n } });
 * console.log(decodeEvent(event, abi, { requireLog: true }).args.value); // 5n
 * ```
 * @param options ABI, event name, arguments, and where the log is; see {@link SampleContractEventOptions}.
 * @returns A new event.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is missing or invalid, the ABI has no such event, or an argument
 * is missing or not a value of its type.
 */
export function sampleContractEvent<const Abi extends readonly unknown[], const Name extends EventNames<Abi>>(
  options: SampleContractEventOptions<Abi, Name>,
): EventEmitted {
  checkOptions('sampleContractEvent', options, KEYS);
  const { abi, name, args, removed = false, id = crypto.randomUUID() } = options as SamplePlace & Untyped;
  if (typeof name !== 'string') throw optionError('name', 'the name of an event', name);
  if (typeof removed !== 'boolean') throw optionError('removed', 'true or false', removed);
  const address = addressOf(options.address ?? TOKEN);
  const txHash = hashOption('transactionHash', options.transactionHash ?? txHashOf(id));
  const blockHash = hashOption('blockHash', options.blockHash ?? BLOCK_HASH);
  const blockNumber = position('blockNumber', options.blockNumber ?? 16);
  const logIndex = position('logIndex', options.logIndex ?? 0);

  const { event, item } = choose(abi, name);
  const log = encodeEvent(item, valuesOf(item, args));
  const emitted = contractAbi([event]).emitted(log);
  if (emitted === undefined) throw new ConfigError(`\`abi\`: ${item.signature} cannot be the event of a log.`);
  const rawFields = JSON.stringify({
    address: address.toLowerCase(),
    ...log,
    blockNumber: `0x${blockNumber.toString(16)}`,
    transactionHash: txHash,
    transactionIndex: '0x0',
    blockHash,
    logIndex: `0x${logIndex.toString(16)}`,
    removed,
  });
  return sampleEventEmitted({
    id,
    data: {
      event: { ...emitted, rawFields, contract: { address }, indexInLog: logIndex },
      transaction: { txData: '0x', txHash, blockHash, blockNumber, contract: { address }, method: null },
    },
  });
}

/** The options before they are checked. */
interface Untyped {
  readonly abi: unknown;
  readonly name: unknown;
  readonly args?: unknown;
}

interface Chosen {
  readonly event: AbiEvent;
  readonly item: AbiEventItem;
}

/** A log has at most four topics. */
const MOST_TOPICS = 4;

/** The event of that name or signature. */
function choose(abi: unknown, written: string): Chosen {
  const name = written.replace(/\(.*$/s, '');
  const named = itemsOf<AbiEvent>(abi, 'event')
    .filter((event) => event.name === name)
    .map((event) => ({ event, item: abiEventItem(event) }));
  const signatures = [...new Set(named.map(({ item }) => item.signature))].join(', ');
  const found = name === written ? named : named.filter(({ item }) => item.signature === canonical(written));
  const [chosen] = found;
  if (chosen === undefined) {
    const others = signatures && ` It has ${signatures}.`;
    throw new ConfigError(`\`abi\` has no event ${written}.${others} Check \`name\`.`);
  }
  const { shape, topicCount, signature, isAnonymous } = chosen.item;
  if (found.some(({ item }) => item.shape !== shape)) {
    throw new ConfigError(
      `\`abi\` has several events ${written}: ${signatures}. Set \`name\` to a signature, or pass an ABI with one of them.`,
    );
  }
  if (topicCount > MOST_TOPICS) {
    const limit = isAnonymous ? 4 : 3;
    throw new ConfigError(`\`abi\`: ${signature} has more than ${limit} indexed inputs, which a log cannot contain.`);
  }
  return chosen;
}

/** The checked values of the arguments, in the order of the ABI. */
function valuesOf({ inputs, isNamed, signature }: AbiEventItem, args: unknown): unknown[] {
  const names = inputs.map(({ name }) => name);
  if (!isRecord(args) || (!isNamed && inputs.length > 0)) {
    const given = args ?? [];
    const form = isNamed ? `an object with ${names.join(', ')}` : `an array of ${inputs.length} values`;
    if (!Array.isArray(given) || given.length !== inputs.length) throw optionError('args', form, args);
    return inputs.map(({ codec }, at) => read(`args[${at}]`, () => codec.fromWire(given[at])));
  }
  const unknown = Object.keys(args).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new ConfigError(`\`args\` has no input ${unknown.slice(0, 60)}: ${signature} takes ${names.join(', ')}.`);
  return inputs.map(({ codec, name }) => {
    if (!Object.hasOwn(args, name) || args[name] === undefined)
      throw new ConfigError(`\`args.${name}\` is missing: ${signature} takes ${names.join(', ')}.`);
    return read(`args.${name}`, () => codec.fromWire(args[name] as JsonValue));
  });
}

function read<Value>(where: string, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    throw error instanceof Problem ? new ConfigError(`\`${where}${error.path}\` ${error.message}`) : error;
  }
}

const addressOf = (address: unknown) => read('address', () => addressCodec.fromWire(address as string) as string);

function hashOption(name: string, value: unknown): string {
  if (isHash(value)) return value.toLowerCase();
  throw optionError(name, '0x and 64 hex digits', value);
}

function position(name: string, value: unknown): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw optionError(name, 'a whole number of at least 0', value);
}
