import { type Hex, keccak256, padHex, toHex } from 'viem';
import { type ChainBlock, type ChainStep, chainOf } from './history.js';

export const CHAIN_ID = 31337;
export const TOKEN = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const UNWATCHED = `0x${'77'.repeat(20)}`;
export const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const SOMEBODY = `0x${'99'.repeat(20)}`;
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const word = (hex: string) => padHex(hex.toLowerCase() as Hex, { size: 32 });

/** The ABI of the token. */
export const abi = [
  {
    type: 'event',
    name: 'Transfer',
    inputs: [
      { name: 'from', type: 'address', indexed: true },
      { name: 'to', type: 'address', indexed: true },
      { name: 'value', type: 'uint256', indexed: false },
    ],
  },
];

/** What is wrong with a call, as a node words it. */
export class Refusal extends Error {}

/** Ranges and answers that are longer are refused. */
const MOST_BLOCKS = 20;
const MOST_LOGS = 60;

/** What a node that has come to a step of the history answers. */
export function answerOf(step: ChainStep, method: string, params: readonly unknown[]): unknown {
  const chain = chainOf(step.head);
  const tags: Record<string, number> = {
    earliest: 0,
    latest: step.head.number,
    pending: step.head.number,
    safe: step.final,
    finalized: step.final,
  };
  const numberOf = (tag: unknown) => tags[String(tag)] ?? Number(tag);
  const [first, second] = params;

  switch (method) {
    case 'eth_chainId':
      return toHex(CHAIN_ID);
    case 'eth_blockNumber':
      return toHex(step.head.number);
    case 'eth_getBlockByNumber':
      return blockOf(chain[numberOf(first)], second === true);
    case 'eth_getBlockByHash':
      return blockOf(withHash(chain, first), second === true);
    case 'eth_getBlockReceipts': {
      const block = withHash(chain, first) ?? chain[numberOf(first)];
      return block?.transactions.map((_, index) => receiptOf(block, index)) ?? null;
    }
    case 'eth_getTransactionReceipt': {
      const receipts = chain.flatMap((block) => block.transactions.map((_, index) => receiptOf(block, index)));
      return receipts.find(({ transactionHash }) => transactionHash === first) ?? null;
    }
    case 'eth_getLogs':
      return logsOf(chain, Object(first), numberOf);
    default:
      throw new Refusal(`the method ${method} does not exist`);
  }
}

interface Filter {
  readonly blockHash?: string;
  readonly fromBlock?: unknown;
  readonly toBlock?: unknown;
  readonly address?: string | readonly string[];
  readonly topics?: readonly (string | readonly string[] | null)[];
}

function logsOf(chain: readonly ChainBlock[], filter: Filter, numberOf: (tag: unknown) => number): Log[] {
  const { blockHash, fromBlock = 'latest', toBlock = 'latest', address, topics = [] } = filter;
  let blocks: readonly ChainBlock[];
  if (blockHash !== undefined) {
    const block = withHash(chain, blockHash);
    if (block === undefined) throw new Refusal('unknown block');
    blocks = [block];
  } else {
    const [from, to] = [numberOf(fromBlock), numberOf(toBlock)];
    if (to - from >= MOST_BLOCKS) throw new Refusal(`query exceeds max block range ${MOST_BLOCKS}`);
    blocks = chain.slice(from, to + 1);
  }
  const addresses = address === undefined ? undefined : [address].flat().map((each) => each.toLowerCase());
  const isWanted = (log: Log) =>
    (addresses?.includes(log.address) ?? true) &&
    topics.every((topic, at) => topic === null || [topic].flat().includes(log.topics[at] ?? ''));
  const logs = blocks.flatMap(logsIn).filter(isWanted);
  if (logs.length > MOST_LOGS && blocks.length > 1) throw new Refusal(`query returned more than ${MOST_LOGS} results`);
  return logs;
}

function withHash(chain: readonly ChainBlock[], hash: unknown): ChainBlock | undefined {
  return chain.find((block) => block.hash === hash);
}

type Log = ReturnType<typeof logsIn>[number];
const known = new WeakMap<ChainBlock, { header: object; transactions: readonly object[]; logs: readonly Log[] }>();

/** The logs of a block, as `rawFields` and as nodes have them. */
export function logsIn(block: ChainBlock) {
  let logIndex = 0;
  return block.transactions.flatMap(({ hash, logs }, transactionIndex) =>
    logs.map(({ isOfToken, amount }) => ({
      address: (isOfToken ? TOKEN : UNWATCHED).toLowerCase(),
      topics: [TRANSFER, word(WALLET), word(SOMEBODY)],
      data: word(toHex(amount)),
      blockNumber: toHex(block.number),
      transactionHash: hash,
      transactionIndex: toHex(transactionIndex),
      blockHash: block.hash,
      blockTimestamp: toHex(block.timestamp),
      logIndex: toHex(logIndex++),
      removed: false,
    })),
  );
}

/** A transaction as a node, or `data.tx` of an event, has it. */
export function transactionOf(block: ChainBlock, index: number) {
  const { hash, isOfWallet } = block.transactions[index] ?? {};
  return {
    ...{ type: '0x2', chainId: toHex(CHAIN_ID), nonce: toHex(index), to: TOKEN.toLowerCase(), gas: '0x5208' },
    ...{ gasPrice: '0x1', maxPriorityFeePerGas: '0x1', maxFeePerGas: '0x2', value: '0x0', input: '0x', accessList: [] },
    ...{ v: '0x0', r: '0x1', s: '0x2', yParity: '0x0', hash, from: isOfWallet ? WALLET.toLowerCase() : SOMEBODY },
    ...{ blockHash: block.hash, blockNumber: toHex(block.number), transactionIndex: toHex(index) },
  };
}

function receiptOf(block: ChainBlock, index: number) {
  const { hash: transactionHash, blockHash, blockNumber, transactionIndex } = transactionOf(block, index);
  const logs = logsIn(block).filter((log) => log.transactionHash === transactionHash);
  return { transactionHash, blockHash, blockNumber, transactionIndex, status: '0x1', logs };
}

function blockOf(block: ChainBlock | undefined, isFull: boolean): object | null {
  if (block === undefined) return null;
  const parts = known.get(block) ?? {
    header: {
      number: toHex(block.number),
      hash: block.hash,
      parentHash: block.parent?.hash ?? padHex('0x', { size: 32 }),
      timestamp: toHex(block.timestamp),
      logsBloom: bloomOf(logsIn(block)),
    },
    transactions: block.transactions.map((_, index) => transactionOf(block, index)),
    logs: logsIn(block),
  };
  known.set(block, parts);
  return { ...parts.header, transactions: isFull ? parts.transactions : block.transactions.map(({ hash }) => hash) };
}

/** 2048 bits, of which each address and topic sets three (Yellow Paper 4.3.1). */
function bloomOf(logs: readonly Log[]): Hex {
  const bytes = new Uint8Array(256);
  for (const { address, topics } of logs) {
    for (const value of [address, ...topics]) {
      const hash = keccak256(value as Hex, 'bytes');
      for (const at of [0, 2, 4]) {
        const bit = (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047;
        const index = 255 - (bit >> 3);
        bytes[index] = (bytes[index] ?? 0) | (1 << (bit & 7));
      }
    }
  }
  return toHex(bytes);
}
