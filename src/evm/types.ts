import type { AbiParameter, AbiParameterToPrimitiveType } from 'abitype';
import type { EventEmitted } from '../events/types.js';

/** Bytes as text: `0x` and hex digits. */
export type Hex = `0x${string}`;

/** A log as a node gives it, with its quantities as numbers. viem takes it where it takes a `Log` that is not pending. */
export interface RawLog {
  /** Address of the contract that emitted it: 20 bytes, lower case. */
  readonly address: Hex;
  /** None to four words of 32 bytes: the hash of the event's signature (unless it is anonymous), then the indexed inputs. */
  readonly topics: [] | [Hex, ...Hex[]];
  /** The inputs that are not indexed, ABI-encoded; `0x` when there are none. */
  readonly data: Hex;
  /** Number of the block that holds it. */
  readonly blockNumber: bigint;
  /** Hash of the transaction that emitted it: 32 bytes. */
  readonly transactionHash: Hex;
  /** Position of that transaction in the block, from 0. */
  readonly transactionIndex: number;
  /** Hash of the block: 32 bytes. */
  readonly blockHash: Hex;
  /** Position of the log in the block, from 0. */
  readonly logIndex: number;
  /** Whether a re-org took the block, and this log with it, out of the chain. */
  readonly removed: boolean;
  /** Time of the block in Unix seconds. (Default: absent, as not every node tells.) */
  readonly blockTimestamp?: bigint;
}

/** The ABI itself; for one that is text the advice, which the compiler then quotes. */
export type ParsedAbi<Abi extends readonly unknown[]> = 0 extends 1 & Abi[number]
  ? Abi
  : [Extract<Abi[number], string>] extends [never]
    ? Abi
    : 'This ABI is text: pass it through parseAbi(...) of abitype or viem';

/** Name of an item of that type; `string` for an item whose type or name the compiler does not know. */
type NameOf<Item, Type extends 'event' | 'function'> = Item extends { type: Type; name: infer Name extends string }
  ? Name
  : Item extends string
    ? string
    : Item extends { type: infer Known }
      ? Type extends Known
        ? string
        : never
      : unknown extends Item
        ? string
        : never;

/**
 * An ABI's items of a type by name, those of one name as a union. It is made once for an ABI, so that an event costs a
 * look-up and not a walk over the ABI. `keyof` would be such a walk at every use: names come from `NameOf`, which the
 * compiler keeps, and the index signature takes them as keys.
 */
type ItemsByName<Abi extends readonly unknown[], Type extends 'event' | 'function'> = {
  [Item in Abi[number] as NameOf<Item, Type>]: Item;
} & { [name: string]: unknown };

/** Names of an ABI's events; `string` for an ABI whose type does not tell them, such as `Abi` or imported JSON. */
export type EventNames<Abi extends readonly unknown[]> = NameOf<Abi[number], 'event'>;

/** What a log holds of an indexed input of these types is its hash. */
type HashedType = 'string' | 'bytes' | 'tuple' | `${string}]`;

type InputValue<Input> = Input extends { indexed: true; type: HashedType }
  ? Hex
  : // Without abitype its types are `any`, and so would every argument be, in silence. This makes them useless instead.
    [0] extends [1 & AbiParameter]
    ? { 'Install abitype: the types of event-webhook-receiver/evm need it': never }
    : Input extends AbiParameter
      ? AbiParameterToPrimitiveType<Input>
      : unknown;

/**
 * Arguments of an event, in the forms that viem gives them: an object when every input has a name, else a tuple in the
 * order of the ABI, `undefined` for no inputs. `uint48` and `int48` and narrower are numbers, wider ones bigints. An
 * indexed string, bytes, array or struct is the hash of its value.
 *
 * For an event whose inputs the type does not tell it is each of those forms. That is no `unknown`: the arguments of any
 * event fit it, so that a function can take them all, and `args && 'from' in args` narrows it.
 */
export type EventArgs<Item> = Item extends { inputs: infer Inputs extends readonly unknown[] }
  ? number extends Inputs['length']
    ? WideArgs
    : Inputs extends readonly []
      ? undefined
      : Inputs extends readonly { name: string }[]
        ? '' extends Inputs[number]['name']
          ? InputTuple<Inputs>
          : { [Input in Inputs[number] as Input['name']]: InputValue<Input> }
        : InputTuple<Inputs>
  : WideArgs;

type InputTuple<Inputs extends readonly unknown[]> = { readonly [I in keyof Inputs]: InputValue<Inputs[I]> };

type WideArgs = Record<string, unknown> | readonly unknown[] | undefined;

type LogOf<RequireLog extends boolean> = RequireLog extends true ? RawLog : RawLog | undefined;

/** The ABI's events of that name; where the names are not known, one with this name and nothing else. */
type AbiEventItems<Abi extends readonly unknown[], Name extends EventNames<Abi>> =
  string extends EventNames<Abi> ? { name: Name } : ItemsByName<Abi, 'event'>[Name];

type Decoded<Item, RequireLog extends boolean> = Item extends { name: infer Name extends string }
  ? { readonly eventName: Name; readonly args: EventArgs<Item>; readonly log: LogOf<RequireLog> }
  : never;

/**
 * An event of an ABI, decoded: one member for each event, told apart by `eventName`. Overloads of one name are members
 * of their own. `log` is the log it was decoded from; `undefined` when the event came without one, and never so with
 * `requireLog`.
 *
 * @example
 * ```ts
 * import { parseAbi } from 'abitype';
 * import type { DecodedEvent } from 'event-webhook-receiver/evm';
 *
 * const abi = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)']);
 *
 * export function amountOf(transfer: DecodedEvent<typeof abi, 'Transfer'>): bigint {
 *   return transfer.args.value;
 * }
 * ```
 */
export type DecodedEvent<
  Abi extends readonly unknown[],
  Name extends EventNames<Abi> = EventNames<Abi>,
  RequireLog extends boolean = false,
> = Decoded<AbiEventItems<Abi, Name>, RequireLog>;

type Selected<Item, RequireLog extends boolean> = Item extends { name: infer Name extends string }
  ? {
      readonly eventName: Name;
      readonly args: EventArgs<Item>;
      readonly log: LogOf<RequireLog>;
      readonly event: EventEmitted;
    }
  : never;

/** What `contractEvent` gives a handler: the {@link DecodedEvent}, and the event as it was received. */
export type MatchedEvent<
  Abi extends readonly unknown[],
  Name extends EventNames<Abi> = EventNames<Abi>,
  RequireLog extends boolean = false,
> = Selected<AbiEventItems<Abi, Name>, RequireLog>;

type CallArgs<Item> = Item extends { inputs: infer Inputs extends readonly unknown[] }
  ? number extends Inputs['length']
    ? readonly unknown[] | undefined
    : Inputs extends readonly []
      ? undefined
      : InputTuple<Inputs>
  : readonly unknown[] | undefined;

type Call<Item> = Item extends { name: infer Name extends string }
  ? { readonly functionName: Name; readonly args: CallArgs<Item> }
  : never;

/**
 * A call of a function of an ABI, decoded: one member for each function, told apart by `functionName`. `args` is a tuple
 * in the order of the ABI, `undefined` for a function without inputs.
 */
export type DecodedCall<Abi extends readonly unknown[]> =
  string extends NameOf<Abi[number], 'function'>
    ? Call<{ name: string }>
    : Call<ItemsByName<Abi, 'function'>[NameOf<Abi[number], 'function'>]>;

/**
 * A transaction of `transaction.included`, decoded. What the event does not have is `undefined`; a quantity or `to` that
 * it has as null is `null`. Amounts and fees are in wei. Addresses are lower case, and in the arguments of the call
 * checksummed.
 */
export interface DecodedTransaction<Abi extends readonly unknown[] = readonly []> {
  /** Hash of the transaction: 32 bytes. */
  readonly hash: Hex | undefined;
  /** Address of the sender. */
  readonly from: Hex | undefined;
  /** Address of the receiver; `null` when it creates a contract. */
  readonly to: Hex | null | undefined;
  /** Kind of the transaction (EIP-2718): 0 legacy, 1 with an access list, 2 with a priority fee. */
  readonly type: bigint | null | undefined;
  readonly chainId: bigint | null | undefined;
  /** How many transactions the sender had sent before. */
  readonly nonce: bigint | null | undefined;
  /** How much gas it may use. */
  readonly gas: bigint | null | undefined;
  /** Price of a unit of gas, in wei; `null` where it has the two fees below instead. */
  readonly gasPrice: bigint | null | undefined;
  /** Fee for the block's producer, in wei for a unit of gas. */
  readonly maxPriorityFeePerGas: bigint | null | undefined;
  /** Limit of both fees together, in wei for a unit of gas. */
  readonly maxFeePerGas: bigint | null | undefined;
  /** What it transfers, in wei. */
  readonly value: bigint | null | undefined;
  /** Recovery value of the signature. */
  readonly v: bigint | null | undefined;
  /** Parity of the signature's point: 0 or 1. */
  readonly yParity: bigint | null | undefined;
  /** Data of the call; `0x` when there is none. */
  readonly input: Hex | undefined;
  /** `included`, `pending`, `replaced`, `cancelled`, `rejected` or `exceeded retry limit`. */
  readonly status: string | undefined;
  /** Whether it was mined and reverted. */
  readonly failed: boolean | undefined;
  /** Number of the block that holds it. */
  readonly blockNumber: bigint | undefined;
  /** Hash of that block: 32 bytes. */
  readonly blockHash: Hex | undefined;
  /** The call, by the ABI that was given; `undefined` without an ABI, without input, or when no function of it that can be decoded fits. */
  readonly call: DecodedCall<Abi> | undefined;
}
