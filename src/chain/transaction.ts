import type { Hex } from '../evm/types.js';
import { isHash } from '../evm/wire-fields.js';
import { type Block, fieldsOf, hexOf, malformed } from './answers.js';

/** What both kinds of event have of a transaction. */
export interface Transaction {
  readonly index: number;
  readonly hash: Hex;
  readonly from: Hex;
  /** Null when it creates a contract. */
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

/** The fields of a transaction as `data.tx` of `transaction.included` has them, in its order. */
export function txFields(block: Block, { index, hash, to, input }: Transaction): Record<string, unknown> {
  const where = `transactions[${index}]`;
  const read = fieldsOf(block.transactions[index], where);
  const quantity = (key: string) => {
    const value = read.optional(key, read.quantity);
    return value == null ? undefined : hexOf(value);
  };
  const { accessList } = block.transactions[index] as Record<string, unknown>;
  const maxFeePerGas = quantity('maxFeePerGas') ?? null;
  return {
    type: quantity('type') ?? '0x0',
    chainId: quantity('chainId'),
    nonce: hexOf(read.quantity('nonce')),
    to,
    gas: hexOf(read.quantity('gas')),
    // Nodes write what was paid into the gasPrice of one that has fees; in the transaction itself there is none.
    gasPrice: maxFeePerGas === null ? (quantity('gasPrice') ?? null) : null,
    maxPriorityFeePerGas: quantity('maxPriorityFeePerGas') ?? null,
    maxFeePerGas,
    value: hexOf(read.quantity('value')),
    input,
    accessList: accessList == null ? undefined : readAccessList(accessList, `${where}.accessList`),
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
