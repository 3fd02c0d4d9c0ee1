import { isHash, WireFields } from '../evm/hex.js';
import type { Hex } from '../evm/types.js';
import { isRecord } from '../internal/guards.js';
import { RpcError } from './rpc.js';

// Checks the answers of nodes. Values that pass are well-formed and in lower case; any other answer
// makes the caller retry.

/** The header of a mined block. */
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
  /** Unchecked, and hashes only unless they were asked for; `readTransaction` checks the ones that matter. */
  readonly transactions: readonly unknown[];
}

/** A log of a block, with quantities as the node writes them. */
export interface Log {
  readonly address: Hex;
  readonly topics: [] | [Hex, ...Hex[]];
  readonly data: Hex;
  readonly transactionIndex: number;
  readonly logIndex: number;
  readonly blockTimestamp: Hex | undefined;
}

/** The last second of the year 9999, as RFC 3339 has four digits for the year. */
const LAST_SECOND = 253_402_300_799;
const MOST_TOPICS = 4;

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

/** The header in an answer to `eth_getBlockByNumber`; undefined when the node does not have it yet. */
export function readHeader(answer: unknown, number?: number): Header | undefined {
  if (answer === null) return undefined;
  const read = fieldsOf(answer, 'block');
  const own = read.position('number');
  if (number !== undefined && own !== number) malformed('block.number', `the requested ${number}`);
  return {
    number: own,
    hash: read.hash('hash'),
    parentHash: read.hash('parentHash'),
    timestamp: read.position('timestamp'),
    bloom: String((answer as Record<string, unknown>).logsBloom ?? ''),
  };
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

/** The logs of a block, in the order of emission. */
export function readLogs(answer: readonly unknown[], block: Block): Log[] {
  const logs = answer.map((log, at) => readLog(log, `logs[${at}]`, block)).sort((a, b) => a.logIndex - b.logIndex);
  const twice = logs.find(({ logIndex }, at) => logs[at + 1]?.logIndex === logIndex);
  if (twice) malformed(`logIndex ${twice.logIndex}`, 'unique');
  const backwards = logs.find(
    ({ transactionIndex }, at) => (logs[at + 1]?.transactionIndex ?? Infinity) < transactionIndex,
  );
  if (backwards) malformed(`logIndex ${backwards.logIndex}`, 'in the order of the transactions');
  return logs;
}

function readLog(answer: unknown, where: string, block: Block): Log {
  const read = fieldsOf(answer, where);
  const { topics, removed } = answer as Record<string, unknown>;
  if (!Array.isArray(topics) || topics.length > MOST_TOPICS || !topics.every(isHash)) {
    return malformed(`${where}.topics`, `an array of at most ${MOST_TOPICS} hashes`);
  }
  const transactionHash = read.hash('transactionHash');
  const isIts = (each: unknown) => isRecord(each) && String(each.hash).toLowerCase() === transactionHash;
  const transactionIndex = read.unneeded('transactionIndex', read.position) ?? block.transactions.findIndex(isIts);
  const isOfBlock =
    read.hash('blockHash') === block.hash &&
    read.position('blockNumber') === block.number &&
    isIts(block.transactions[transactionIndex]);
  // A re-org may have happened between the two answers.
  if (!isOfBlock || removed === true) malformed(where, `a log of the requested block ${block.number}`);
  return {
    address: read.address('address'),
    topics: topics.map((topic) => topic.toLowerCase()) as never,
    data: read.bytes('data'),
    transactionIndex,
    logIndex: read.position('logIndex'),
    blockTimestamp: read.unneeded('blockTimestamp', (key) => hexOf(read.quantity(key))),
  };
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

/** The fields of a transaction that both kinds of event need. */
export interface Transaction {
  readonly index: number;
  readonly hash: Hex;
  readonly from: Hex;
  /** Null if it creates a contract. */
  readonly to: Hex | null;
  readonly input: Hex;
}

/** The transaction at a position of a block. */
export function readTransaction(block: Block, index: number): Transaction {
  const read = fieldsOf(block.transactions[index], `transactions[${index}]`);
  return {
    index,
    hash: read.hash('hash'),
    from: read.address('from'),
    to: read.optional('to', read.address) ?? null,
    input: read.bytes('input'),
  };
}

/** The sender of each transaction of a block. */
export function sendersOf(block: Block): Hex[] {
  return block.transactions.map((each, index) => fieldsOf(each, `transactions[${index}]`).address('from'));
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
    // For a transaction with fees, nodes write the price paid into gasPrice, which the transaction itself lacks.
    gasPrice: maxFeePerGas === null ? (quantity('gasPrice') ?? null) : null,
    maxPriorityFeePerGas: quantity('maxPriorityFeePerGas') ?? null,
    maxFeePerGas,
    value: hexOf(read.quantity('value')),
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
    const { storageKeys } = entry as Record<string, unknown>;
    if (!Array.isArray(storageKeys) || !storageKeys.every(isHash)) malformed(`${where}[${at}].storageKeys`, 'hashes');
    return { address, storageKeys };
  });
}
