import type { Hex } from 'viem';
import { bloomOf } from './bloom.js';

/** A log as a schedule gives it: its block says where it is. */
export interface GivenLog {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

export interface GivenTransaction {
  /** (Default: a number of its block.) */
  readonly hash?: Hex;
  readonly from?: Hex;
  readonly to?: Hex | null;
  readonly input?: Hex;
  readonly failed?: boolean;
  readonly logs?: readonly GivenLog[];
}

/** A block as nodes return it, with its logs and receipts. */
export type Mined = ReturnType<typeof blockOf>;

/** 32 bytes as hex text. */
export const wordOf = (value: number): Hex => `0x${value.toString(16).padStart(64, '0')}`;
export const quantityOf = (value: number): Hex => `0x${value.toString(16)}`;

export const NO_PARENT: Hex = wordOf(0);
const NOBODY: Hex = `0x${'0'.repeat(40)}`;
/** Unix seconds of block 0. Blocks are a second apart unless their time is given. */
export const GENESIS_SECOND = 1_800_000_000;

/**
 * Makes a block. Its hashes are numbers, not digests of its contents: `seed` distinguishes it from all other blocks, unless
 * they are given.
 *
 * @param second Its timestamp in Unix seconds.
 */
export function blockOf(
  number: number,
  parentHash: Hex,
  seed: number,
  transactions: readonly GivenTransaction[],
  second = GENESIS_SECOND + number,
  hash = wordOf(number * 2 ** 32 + 0xb0000000 + seed),
) {
  const where = { blockNumber: quantityOf(number), blockHash: hash };
  let logIndex = 0;
  const each = transactions.map(({ from = NOBODY, to = NOBODY, input = '0x', failed = false, logs = [], hash }, at) => {
    const transactionHash = hash ?? wordOf(0x7a000000 + seed * 1000 + at);
    const place = { ...where, transactionHash, transactionIndex: quantityOf(at) };
    const written = logs.map((log) => ({ ...log, ...place, logIndex: quantityOf(logIndex++), removed: false }));
    return {
      transaction: {
        ...{ ...where, hash: transactionHash, transactionIndex: quantityOf(at), from, to, input, type: '0x2' },
        ...{ chainId: '0x7a69', nonce: quantityOf(at), gas: '0x5208', gasPrice: '0x1', maxFeePerGas: '0x2' },
        ...{ maxPriorityFeePerGas: '0x1', value: '0x0', accessList: [], v: '0x0', r: '0x1', s: '0x2', yParity: '0x0' },
      },
      receipt: { ...place, status: failed ? '0x0' : '0x1', logs: written },
      logs: written,
    };
  });
  const logs = each.flatMap(({ logs }) => logs);
  const block = {
    ...{ number: quantityOf(number), hash, parentHash, timestamp: quantityOf(second), logsBloom: bloomOf(logs) },
    transactions: each.map(({ transaction }) => transaction),
  };
  /** The block as it is returned without its transactions. */
  const header = { ...block, transactions: block.transactions.map(({ hash }) => hash) };
  return { number, seed, second, block, header, logs, receipts: each.map(({ receipt }) => receipt) };
}
