import { isHash, WireFields } from '../evm/hex.js';
import type { Hex } from '../evm/types.js';
import { isRecord } from '../internal/guards.js';
import type { Oddities } from './habits.js';
import { RpcError } from './rpc.js';

// Checks the answers of nodes. Values that pass are well-formed and in lower case; any other answer
// makes the caller retry.

export interface Header {
  readonly number: number;
  readonly hash: Hex;
  readonly parentHash: Hex;
  /** Unix seconds. */
  readonly timestamp: number;
  /** Bloom filter of the block's logs; empty if it cannot be read. */
  readonly bloom: string;
}

export interface Block extends Header {
  /**
   * Unchecked: hashes, or objects if the request asked for them. `readTransaction` checks the transactions that are
   * used.
   */
  readonly transactions: readonly unknown[];
}

/** A log of a block, with quantities as the node writes them. */
export interface Log {
  readonly address: Hex;
  readonly topics: [] | [Hex, ...Hex[]];
  readonly data: Hex;
  readonly transactionHash: Hex;
  /** May differ from the position in the block's list; undefined if it cannot be read. */
  readonly transactionIndex: number | undefined;
  readonly logIndex: number;
  readonly blockTimestamp: Hex | undefined;
  readonly removed: boolean;
}

/** A log and its transaction. */
export interface PlacedLog extends Log {
  /** The position of its transaction; undefined if the block does not list it. */
  readonly position: number | undefined;
  /** The transaction's rank in its block, used to sort logs. */
  readonly place: number;
}

/** The last second of the year 9999, as RFC 3339 has four digits for the year. */
const LAST_SECOND = 253_402_300_799;
/** Milliseconds, microseconds and nanoseconds per second. */
const FRACTIONS = [1000n, 1_000_000n, 1_000_000_000n];
const MOST_TOPICS = 4;
/** Maximum number of consecutive block numbers without a block. */
export const LONGEST_GAP = 64;

export function malformed(where: string, expected: string): never {
  throw new RpcError(`The node sent an invalid answer: ${where} is not ${expected}.`, { reason: 'malformed' });
}

/** The fields of an object in an answer. */
export function fieldsOf(answer: unknown, where: string): WireFields {
  if (!isRecord(answer)) return malformed(where, 'an object');
  return new WireFields(answer, (key, expected) => malformed(`${where}.${key}`, expected));
}

/** A quantity that fits a number. */
export function readNumber(answer: unknown, where: string): number {
  return new WireFields({ it: answer }, () => malformed(where, 'a quantity that fits a number')).position('it');
}

/** The header in an answer to `eth_getBlockByNumber`; undefined when the node has none of this number. */
export function readHeader(answer: unknown, number?: number): Header | undefined {
  if (answer === null) return undefined;
  const read = fieldsOf(answer, 'block');
  const own = read.position('number');
  // Some nodes return the block before a number without a block.
  if (number !== undefined && own < number) return undefined;
  if (number !== undefined && own !== number) malformed('block.number', `the requested ${number}`);
  return {
    number: own,
    hash: read.hash('hash'),
    parentHash: read.hash('parentHash'),
    timestamp: secondsOf(read.quantity('timestamp')),
    bloom: String((answer as Record<string, unknown>).logsBloom ?? ''),
  };
}

/**
 * A timestamp in seconds. Some chains use smaller units, recognized by size: seconds have ten digits from 2001 to 2286.
 */
function secondsOf(time: bigint): number {
  const units = FRACTIONS.find((each) => time / each >= 1_000_000_000n && time / each < 10_000_000_000n);
  return Number(time / (units ?? 1n));
}

/** The block with its transactions in an answer; undefined when the node does not have it yet. */
export function readBlock(answer: unknown, number: number): Block | undefined {
  const header = readHeader(answer, number);
  if (header === undefined) return undefined;
  const { transactions } = answer as { readonly transactions?: unknown };
  if (!Array.isArray(transactions)) return malformed('block.transactions', 'an array');
  if (header.timestamp > LAST_SECOND) malformed('block.timestamp', 'a time before the year 10000');
  return { ...header, transactions };
}

/** A log in an answer. The caller checks its block. */
export function readLog(answer: unknown, where: string): Log {
  const read = fieldsOf(answer, where);
  const { topics, removed } = answer as Record<string, unknown>;
  if (!Array.isArray(topics) || topics.length > MOST_TOPICS || !topics.every(isHash)) {
    return malformed(`${where}.topics`, `an array of at most ${MOST_TOPICS} hashes`);
  }
  return {
    address: read.address('address'),
    topics: topics.map((topic) => topic.toLowerCase()) as never,
    data: read.bytes('data'),
    transactionHash: read.hash('transactionHash'),
    transactionIndex: read.unneeded('transactionIndex', read.position),
    logIndex: read.position('logIndex'),
    blockTimestamp: read.unneeded('blockTimestamp', (key) => hexOf(read.quantity(key))),
    removed: removed === true,
  };
}

/** Removes repeated logs, compared by the fields of `logIdentity`. */
export function uniqueLogs(logs: readonly Log[], oddities: Oddities): Log[] {
  const unique = new Map<string, Log>();
  for (const log of logs) {
    const key = `${log.transactionHash} ${log.logIndex}`;
    const other = unique.get(key) ?? log;
    if (contentsOf(other) !== contentsOf(log)) malformed(`logIndex ${log.logIndex}`, 'unique in its transaction');
    unique.set(key, other);
  }
  if (unique.size < logs.length) oddities.set('repeated', logs);
  if (logs.some(({ removed }) => removed)) oddities.set('removed', logs);
  return [...unique.values()];
}

function contentsOf({ address, topics, data }: Log): string {
  return [address, data, ...topics].join();
}

/** Finds the transactions of logs by hash, and returns the logs in block order. */
export function placeLogs(logs: readonly Log[], { transactions }: Block, oddities: Oddities): PlacedLog[] {
  const positions = new Map(transactions.map((each, at) => [isRecord(each) && String(each.hash).toLowerCase(), at]));
  let last = 0;
  const placed = [...logs]
    .sort((a, b) => a.logIndex - b.logIndex)
    .map((log) => {
      const position = positions.get(log.transactionHash);
      last = Math.max(last, position ?? 0);
      return { ...log, position, place: position ?? Math.max(last, log.transactionIndex ?? 0) };
    })
    .sort((a, b) => a.place - b.place || a.logIndex - b.logIndex);
  if (placed.some(({ position }) => position === undefined)) oddities.set('transaction', logs);
  if (placed.some(({ logIndex }, at) => logIndex <= (placed[at - 1]?.logIndex ?? -1))) oddities.set('order', logs);
  return placed;
}

/** Whether the transaction failed, by its receipt; undefined in old blocks, whose receipts have no status. */
export function readFailed(answer: unknown, block: Block, transactionHash: Hex): boolean | undefined {
  const read = fieldsOf(answer, 'receipt');
  if (read.hash('transactionHash') !== transactionHash || read.hash('blockHash') !== block.hash) {
    malformed('receipt', `the receipt of ${transactionHash} in block ${block.number}`);
  }
  const status = read.optional('status', read.quantity) ?? undefined;
  return status === undefined ? undefined : status === 0n;
}

/** A quantity in the notation of nodes. */
export function hexOf(quantity: bigint | number): Hex {
  return `0x${quantity.toString(16)}`;
}

/** The fields of a transaction that both event types need. The transaction is identified by its hash. */
export interface Transaction {
  readonly index: number;
  readonly hash: Hex;
  /** Undefined for a system transaction. */
  readonly from: Hex | undefined;
  /** Null for a contract creation. */
  readonly to: Hex | null;
  readonly input: Hex | undefined;
}

/** The transaction at a position of a block. */
export function readTransaction(block: Block, index: number): Transaction {
  const read = fieldsOf(block.transactions[index], `transactions[${index}]`);
  return {
    index,
    hash: read.hash('hash'),
    from: read.unneeded('from', read.address),
    to: read.unneeded('to', read.address) ?? null,
    input: read.unneeded('input', read.bytes) ?? read.unneeded('data', read.bytes),
  };
}

/** The sender of each transaction of a block. */
export function sendersOf({ transactions }: Block, oddities: Oddities): (Hex | undefined)[] {
  const senders = transactions.map((each, index) => {
    const read = fieldsOf(each, `transactions[${index}]`);
    return read.unneeded('from', read.address);
  });
  const without = transactions.filter((_, index) => senders[index] === undefined);
  if (without.length > 0) oddities.set('sender', without);
  return senders;
}

/** The fields of a transaction for `data.tx` of `transaction.included`, in the service's order. */
export function txFields(block: Block, { index, hash, to, input }: Transaction): Record<string, unknown> {
  const where = `transactions[${index}]`;
  const read = fieldsOf(block.transactions[index], where);
  const quantity = (key: string) => read.unneeded(key, (name) => hexOf(read.quantity(name)));
  const { accessList, type } = block.transactions[index] as Record<string, unknown>;
  const maxFeePerGas = quantity('maxFeePerGas') ?? null;
  return {
    type: type == null ? '0x0' : quantity('type'),
    chainId: quantity('chainId'),
    nonce: quantity('nonce'),
    to,
    gas: quantity('gas'),
    // For an EIP-1559 transaction, nodes write the effective price to gasPrice, which the transaction does not have.
    gasPrice: maxFeePerGas === null ? (quantity('gasPrice') ?? null) : null,
    maxPriorityFeePerGas: quantity('maxPriorityFeePerGas') ?? null,
    maxFeePerGas,
    value: quantity('value'),
    input,
    accessList: read.unneeded('accessList', () => readAccessList(accessList, `${where}.accessList`)),
    v: quantity('v'),
    r: quantity('r'),
    s: quantity('s'),
    yParity: quantity('yParity'),
    hash,
  };
}

function readAccessList(list: unknown, where: string): object[] {
  if (!Array.isArray(list)) return malformed(where, 'an array');
  return list.map((entry, at) => {
    const address = fieldsOf(entry, `${where}[${at}]`).address('address');
    const storageKeys = (entry as Record<string, unknown>).storageKeys ?? [];
    if (!Array.isArray(storageKeys) || !storageKeys.every(isHash)) malformed(`${where}[${at}].storageKeys`, 'hashes');
    return { address, storageKeys };
  });
}
