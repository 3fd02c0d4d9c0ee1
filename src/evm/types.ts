import type { AbiParameter, AbiParameterToPrimitiveType } from 'abitype';
import type { EventEmitted } from '../events/types.js';

/** Bytes as text: `0x` and hex digits. */
export type Hex = `0x${string}`;

/** A log as a node sends it, with quantities as numbers. It is assignable to viem's `Log` that is not pending. */
export interface RawLog {
  /** Address of the contract that emitted it: 20 bytes, lower case. */
  readonly address: Hex;
  /** Up to four words of 32 bytes: the hash of the event's signature (unless anonymous), then the indexed inputs. */
  readonly topics: [] | [Hex, ...Hex[]];
  /** The inputs that are not indexed, ABI-encoded; `0x` if there are none. */
  readonly data: Hex;
  /** Number of its block. */
  readonly blockNumber: bigint;
  /** Hash of the transaction that emitted it: 32 bytes. */
  readonly transactionHash: Hex;
  /** Position of that transaction in the block, from 0. */
  readonly transactionIndex: number;
  /** Hash of the block: 32 bytes. */
  readonly blockHash: Hex;
  /** Position of the log in the block, from 0. */
  readonly logIndex: number;
  /** Whether a re-org removed the block, and this log with it, from the chain. */
  readonly removed: boolean;
  /** Time of the block in Unix seconds. (Default: absent; not every node sends it in a form that can be read.) */
  readonly blockTimestamp?: bigint;
}

/** The ABI, or for unparsed text an error message that the compiler shows. */
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
 * An ABI's items of a type by name, those of one name as a union. The compiler computes it once per ABI, so that an
 * event costs a look-up and not a scan of the ABI. `keyof` would scan it at every use: names come from `NameOf`, which
 * the compiler caches, and the index signature accepts them as keys.
 */
type ItemsByName<Abi extends readonly unknown[], Type extends 'event' | 'function'> = {
  [Item in Abi[number] as NameOf<Item, Type>]: Item;
} & { [name: string]: unknown };

/** Names of an ABI's events; `string` for an ABI whose type lacks them, such as `Abi` or imported JSON. */
export type EventNames<Abi extends readonly unknown[]> = NameOf<Abi[number], 'event'>;

/** A log contains only the hash of an indexed input of these types. */
type HashedType = 'string' | 'bytes' | 'tuple' | `${string}]`;

type InputValue<Input> = Input extends { indexed: true; type: HashedType }
  ? Hex
  : // Without abitype, every argument would silently be `any`. This makes them unusable instead.
    [0] extends [1 & AbiParameter]
    ? { 'Install abitype: the types of event-webhook-receiver/evm need it': never }
    : Input extends AbiParameter
      ? AbiParameterToPrimitiveType<Input>
      : unknown;

/**
 * Arguments of an event, in viem's forms: an object if every input has a name, otherwise a tuple in the order of the ABI;
 * `undefined` if there are no inputs. `uint48`, `int48` and narrower are numbers, wider integers are bigints. An indexed
 * string, bytes, array or struct is the hash of its value.
 *
 * For an event whose inputs are not part of the type, it is the union of those forms, not `unknown`: the arguments of any
 * event are assignable to it, and `args && 'from' in args` narrows it.
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

/** The ABI's events of that name; if the names are not part of the type, an event with only this name. */
export type AbiEventItems<Abi extends readonly unknown[], Name extends EventNames<Abi>> =
  string extends EventNames<Abi> ? { name: Name } : ItemsByName<Abi, 'event'>[Name];

type Decoded<Item, RequireLog extends boolean> = Item extends { name: infer Name extends string }
  ? { readonly eventName: Name; readonly args: EventArgs<Item>; readonly log: LogOf<RequireLog> }
  : never;

/**
 * A decoded event of an ABI: a union with a member per event and overload, discriminated by `eventName`. `log` is the
 * log it was decoded from; `undefined` when the event came without one; with `requireLog` it is always present.
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

/** What a handler of `contractEvent` receives: the {@link DecodedEvent}, and the event as it was received. */
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
 * A decoded call of a function of an ABI: a union with a member per function, discriminated by `functionName`. `args` is a
 * tuple in the order of the ABI, or `undefined` for a function without inputs.
 */
export type DecodedCall<Abi extends readonly unknown[]> =
  string extends NameOf<Abi[number], 'function'>
    ? Call<{ name: string }>
    : Call<ItemsByName<Abi, 'function'>[NameOf<Abi[number], 'function'>]>;

/**
 * The decoded transaction of a `transaction.included`. An absent field is `undefined`; a quantity or `to` that is
 * null in the event is `null`. Amounts and fees are in wei. Addresses are in lower case; those in the call's arguments
 * are checksummed.
 */
export interface DecodedTransaction<Abi extends readonly unknown[] = readonly []> {
  /** Hash of the transaction: 32 bytes. */
  readonly hash: Hex | undefined;
  /** Address of the sender. */
  readonly from: Hex | undefined;
  /** Address of the recipient; `null` if the transaction creates a contract. */
  readonly to: Hex | null | undefined;
  /** Kind of the transaction (EIP-2718): 0 legacy, 1 with an access list, 2 with a priority fee. */
  readonly type: bigint | null | undefined;
  readonly chainId: bigint | null | undefined;
  /** Number of transactions that the sender had sent before. */
  readonly nonce: bigint | null | undefined;
  /** Gas limit. */
  readonly gas: bigint | null | undefined;
  /** Price per unit of gas, in wei; `null` if it has the two fees below instead. */
  readonly gasPrice: bigint | null | undefined;
  /** Fee for the block's producer, in wei per unit of gas. */
  readonly maxPriorityFeePerGas: bigint | null | undefined;
  /** Limit of both fees together, in wei per unit of gas. */
  readonly maxFeePerGas: bigint | null | undefined;
  /** Amount transferred, in wei. */
  readonly value: bigint | null | undefined;
  /** Recovery value of the signature. */
  readonly v: bigint | null | undefined;
  /** Parity of the signature's point: 0 or 1. */
  readonly yParity: bigint | null | undefined;
  /** Data of the call; `0x` if there is none. */
  readonly input: Hex | undefined;
  /** `included`, `pending`, `replaced`, `cancelled`, `rejected` or `exceeded retry limit`. */
  readonly status: string | undefined;
  /** Whether it was mined and reverted. */
  readonly failed: boolean | undefined;
  /** Number of its block. */
  readonly blockNumber: bigint | undefined;
  /** Hash of its block: 32 bytes. */
  readonly blockHash: Hex | undefined;
  /** The decoded call; `undefined` without an ABI, without input, or if no function of the ABI matches. */
  readonly call: DecodedCall<Abi> | undefined;
}
