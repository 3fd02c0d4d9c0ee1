import { type Hex, padHex, zeroHash } from 'viem';
import { bloomOf } from '../simulation/models/chain/bloom.js';
import type { Mined, ScriptedLog } from './scripted-node.js';

type WrittenLog = Mined['logs'][number];

const quantity = (value: number): Hex => `0x${value.toString(16)}`;

/** Changes the logs of a block that `eth_getLogs` returns, and its bloom filter. Receipts stay as they are. */
function withLogs(mined: Mined, logs: readonly WrittenLog[]): void {
  mined.logs.splice(0, mined.logs.length, ...logs);
  const logsBloom = bloomOf(logs.filter(({ blockHash }) => blockHash === mined.block.hash));
  Object.assign(mined.block, { logsBloom });
  Object.assign(mined.header, { logsBloom });
}

/** A log that no transaction of the block emitted. */
function added({ block, logs }: Mined, log: ScriptedLog, transactionHash: Hex, index: number): WrittenLog {
  const place = {
    blockNumber: block.number,
    blockHash: block.hash,
    transactionHash,
    transactionIndex: quantity(index),
  };
  return { ...log, ...place, logIndex: quantity(logs.length), removed: false };
}

/** What the logs of a block are on some chains. Those with `log` have it besides their others. */
export const oddLogs = {
  /** Sei, Oasis, Sonic: the list leaves out transactions that the index counts. */
  index: (mined) =>
    withLogs(
      mined,
      mined.logs.map((log) => ({ ...log, transactionIndex: quantity(Number(log.transactionIndex) + 26) })),
    ),
  /** Erigon on Polygon, Hedera. */
  restart(mined) {
    const next = new Map<Hex, number>();
    const indexOf = (hash: Hex) => next.set(hash, (next.get(hash) ?? -1) + 1).get(hash) as number;
    const logs = mined.logs.map((log) => ({ ...log, logIndex: quantity(indexOf(log.transactionHash)) }));
    withLogs(mined, logs);
  },
  /** Darwinia. */
  twice: (mined) => withLogs(mined, [...mined.logs, ...mined.logs]),
  /** graph-node saw them among those of the block. */
  foreign(mined) {
    const blockHash = padHex(quantity(0xdead0000 + mined.seed), { size: 32 });
    const removed = mined.logs.map((log) => ({ ...log, blockHash, data: padHex('0x29'), removed: true }));
    withLogs(mined, [...removed, ...mined.logs]);
  },
  removed: (mined) =>
    withLogs(
      mined,
      mined.logs.map((log) => ({ ...log, removed: true })),
    ),
  /** zkSync. */
  zero: (mined, log) => withLogs(mined, [...mined.logs, added(mined, log, zeroHash, 0)]),
  /** Celo L1: a log of the block. */
  block: (mined, log) =>
    withLogs(mined, [...mined.logs, added(mined, log, mined.block.hash, mined.block.transactions.length)]),
  /** Cronos, Hyperliquid, bor. */
  missing(mined, log) {
    const hash = padHex(quantity(0xabcd0000 + mined.seed), { size: 32 });
    withLogs(mined, [...mined.logs, added(mined, log, hash, Math.max(0, mined.block.transactions.length - 1))]);
  },
} satisfies Record<string, (mined: Mined, log: ScriptedLog) => void>;

export type OddLogs = keyof typeof oddLogs;

/** Those that add a log without a transaction. */
export const adding: readonly OddLogs[] = ['zero', 'block', 'missing'];

/** Fields of transactions as some chains write them. */
export const oddTransactions: Record<string, Record<string, unknown>> = {
  'without a sender': { from: null },
  'to 0x, which creates a contract': { to: '0x' },
  'to nothing, which creates a contract': { to: '' },
  'with data in place of input': { input: undefined, data: '0x12' },
  'with storage keys that are null': { accessList: [{ address: padHex('0x3', { size: 20 }), storageKeys: null }] },
  'with an empty nonce and without gas': { nonce: '0x', gas: undefined, value: undefined },
};
