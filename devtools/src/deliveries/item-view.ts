import type { DeliveryItem, EventEmitted, EventIssue, TransactionIncluded } from 'event-webhook-receiver';
import { decodeEvent, decodeTransaction } from 'event-webhook-receiver/evm';
import type { ContractInfo, JsonValue } from 'event-webhook-receiver/schemas';
import { attempt } from '../guards.js';
import { inUnits, isAmount } from './amounts.js';
import { itemsOf, wasRemoved } from './contents.js';
import type { KnownContracts } from './known-contracts.js';
import { beyond, budget, textOf } from './text-limits.js';
import { decodeByWire } from './wire-abi.js';

/** An input of an event, or an argument of a call. */
export interface InputView {
  readonly name: string;
  readonly type: string;
  /** The value as received. */
  readonly value: string;
  readonly hashed: boolean;
  /** The exact number on the chain. */
  readonly exact?: string | undefined;
  /** The exact number with the token's decimals. */
  readonly formatted?: string | undefined;
  /** The token's symbol, beside `formatted`. */
  readonly symbol?: string | undefined;
}

/** One item of a delivery, as the page shows it. */
export interface ItemView {
  readonly status: DeliveryItem['status'];
  readonly id?: string | undefined;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  readonly signature?: string | undefined;
  readonly triggeredAt?: string | undefined;
  readonly contract?: { address: string; label: string; name: string } | undefined;
  readonly inputs?: readonly InputView[] | undefined;
  /** Number of further inputs, which are not shown. */
  readonly moreInputs?: number | undefined;
  readonly transaction?:
    | {
        hash: string;
        from: string;
        blockNumber?: string | undefined;
        method?: string | undefined;
        status?: string | undefined;
      }
    | undefined;
  /** Whether a re-org removed the log from the chain. */
  readonly removed?: boolean | undefined;
  readonly issues?: readonly { path: string; message: string }[] | undefined;
}

const INPUTS = 100;
const [NAME, VALUE, SYMBOL] = [1_000, 20_000, 20];

/** Shared limits of the views of all items. */
export interface ItemBounds {
  /** Shortens a text. */
  cut(text: string, most: number): string;
  /** Whether this many characters may still be decoded. */
  spend(characters: number): boolean;
}

/** Creates the view of an item. Never throws, whatever the item contains. */
export function itemView(item: DeliveryItem, contracts: KnownContracts, { cut, spend }: ItemBounds): ItemView {
  if (item.status === 'invalid') return { status: 'invalid', issues: item.issues.map(issueOf) };
  if (item.status === 'unknown') return { status: 'unknown', id: cut(item.id, NAME), kind: cut(item.kind, NAME) };
  const known = (address: string) => contracts.get(address.toLowerCase());
  const { event } = item;
  const head = { status: 'event' as const, id: cut(event.id, NAME), kind: event.event };
  return { ...head, ...(event.event === 'event.emitted' ? emitted(event) : included(event)) };

  function issueOf({ path, message }: EventIssue) {
    return { path: cut(path.join('.'), NAME), message: cut(message, NAME) };
  }

  function contractOf({ address, addressLabel, label, name }: ContractInfo) {
    return { address: cut(address, NAME), label: cut(label || addressLabel, NAME), name: cut(name, NAME) };
  }

  function inputOf(name: string, type: string, value: JsonValue, hashed = false) {
    return { name: cut(name, NAME), type: cut(type, NAME), value: cut(textOf(value), VALUE), hashed };
  }

  function emitted(event: EventEmitted) {
    const { triggeredAt, transaction } = event.data;
    const { name, signature, contract, inputs } = event.data.event;
    const about = known(contract.address);
    const args = attempt(() => argsOf(event, about?.abi, spend));
    return {
      name: cut(name, NAME),
      signature: cut(signature, NAME),
      triggeredAt: cut(triggeredAt, NAME),
      contract: contractOf(contract),
      inputs: inputs.slice(0, INPUTS).map((input, at) => {
        const exact = input.hashed ? undefined : exactOf(input.type, args?.[at]);
        const formatted = exact && isAmount(name) ? inUnits(exact, about?.decimals) : undefined;
        const symbol = formatted && about?.symbol ? cut(about.symbol, SYMBOL) : undefined;
        return { ...inputOf(input.name, input.type, input.value, input.hashed), exact, formatted, symbol };
      }),
      moreInputs: beyond(inputs, INPUTS),
      transaction: transaction
        ? {
            hash: cut(transaction.txHash, NAME),
            from: cut(transaction.from ?? '', NAME),
            blockNumber: String(transaction.blockNumber),
            method: transaction.method ? cut(transaction.method.name, NAME) : undefined,
          }
        : undefined,
      removed: wasRemoved(event) || undefined,
    };
  }

  function included(event: TransactionIncluded) {
    const { tx = {}, status, from, failed, blockNumber } = event.data;
    const to = typeof tx?.to === 'string' ? tx.to : undefined;
    const abi = to === undefined ? undefined : known(to)?.abi;
    const call = abi && attempt(() => decodeTransaction(event, abi).call);
    const args: readonly unknown[] = Object.entries(call?.args ?? {});
    return {
      name: call ? cut(String(call.functionName), NAME) : undefined,
      contract: to === undefined ? undefined : { address: cut(to, NAME), label: '', name: '' },
      inputs: (args as [string, unknown][])
        .slice(0, INPUTS)
        .map(([name, value]) => inputOf(name, '', plain(value) as JsonValue)),
      moreInputs: beyond(args, INPUTS),
      transaction: {
        hash: cut(textOf(tx?.hash ?? ''), NAME),
        from: cut(textOf(from ?? tx?.from ?? ''), NAME),
        blockNumber: blockNumber === undefined ? undefined : cut(textOf(blockNumber), NAME),
        method: call ? cut(String(call.functionName), NAME) : undefined,
        status: status === undefined ? undefined : cut(textOf(status) + (failed === true ? ', failed' : ''), NAME),
      },
    };
  }
}

/** The exact arguments, in the order of the received inputs. */
function argsOf(
  event: EventEmitted,
  abi: readonly unknown[] | undefined,
  spend: ItemBounds['spend'],
): readonly unknown[] | undefined {
  if (abi && !spend(event.data.event.rawFields?.length ?? 0)) return undefined;
  const decoded = abi && attempt(() => decodeEvent(event, abi, { requireLog: true }).args);
  if (decoded === undefined) return decodeByWire(event, spend);
  return Array.isArray(decoded)
    ? decoded
    : event.data.event.inputs.map(({ name }) => (decoded as Record<string, unknown>)[name]);
}

function exactOf(type: string, value: unknown): string | undefined {
  if (!/int\d*$/.test(type)) return undefined;
  return typeof value === 'bigint' || typeof value === 'number' ? String(value) : undefined;
}

/** The value with bigints as strings, for JSON. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plain);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}

/** Maximum number of item views per call. */
const MOST_ITEMS = 200;
/** Maximum total length of the item texts. */
const ITEM_TEXTS = 2 * 1024 * 1024;
/** Maximum number of log characters to decode, counted at each attempt: a few seconds at most. */
const ITEM_LOGS = 4_000_000;

/** Views of the items of a body from an index on, within the limits. */
export function itemViews(rawBody: Uint8Array, contracts: KnownContracts, from = 0): ItemView[] {
  let left = ITEM_LOGS;
  const spend = (characters: number) => {
    const may = characters <= left;
    if (may) left -= characters;
    return may;
  };
  const bounds = { cut: budget(ITEM_TEXTS), spend };
  return itemsOf(rawBody)
    .slice(from, from + MOST_ITEMS)
    .map((item) => itemView(item, contracts, bounds));
}
