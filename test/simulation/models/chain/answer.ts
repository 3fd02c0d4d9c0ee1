import type { Hex } from 'viem';
import { type Mined, quantityOf } from './block.js';

/** What one node sees of a chain. */
export interface NodeView {
  /** From block 0 on. */
  readonly chain: readonly Mined[];
  /** The number of the tag's block. (Default: the node has no such block.) */
  readonly finalized?: number | undefined;
  readonly safe?: number | undefined;
  /** (Default: 31337.) */
  readonly chainId?: number | undefined;
  /** Blocks by hash that a re-org replaced and that the node still returns. (Default: none, like anvil.) */
  readonly replaced?: ReadonlyMap<string, Mined> | undefined;
  /** The `logsBloom` of its blocks. (Default: the filter of their logs.) */
  readonly bloomOf?: ((mined: Mined) => unknown) | undefined;
  /** Whether it lacks `eth_getBlockReceipts`. (Default: false.) */
  readonly lacksReceipts?: boolean | undefined;
  /** Whether it has no logs, instead of an error, for a block that it does not have: Besu, Reth and others. (Default: false.) */
  readonly hidesUnknown?: boolean | undefined;
}

/** An error that a node returns. */
export class NodeError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

const CHAIN_ID = 31337;
const TAG = /^[a-z]+$/;

/**
 * What a node answers to a call, by what it sees of the chain.
 *
 * It models the calls of src/chain with block numbers, block hashes and the tags `earliest`, `safe`, `finalized` and
 * `latest`. It leaves out filters by topic, pending blocks, state, and fields of blocks and receipts that src/chain does not read.
 *
 * @throws NodeError where a node returns an error; Error for a call that it does not model.
 */
export function answerOf(view: NodeView, method: string, params: readonly unknown[]): unknown {
  const [first, second] = params;
  const { chain } = view;
  switch (method) {
    case 'eth_chainId':
      return quantityOf(view.chainId ?? CHAIN_ID);
    case 'eth_blockNumber':
      return quantityOf(chain.length - 1);
    case 'eth_getBlockByNumber':
      return shown(view, chain[numberOf(view, first)], second);
    case 'eth_getBlockByHash':
      return shown(view, byHash(view, String(first)), second);
    case 'eth_getLogs':
      return logsOf(view, first as Filter);
    case 'eth_getBlockReceipts':
      return receiptsOf(view, String(first));
    case 'eth_getTransactionReceipt':
      return receiptOf(chain, first);
    default:
      throw new Error(`The chain model does not know ${method}.`);
  }
}

function shown({ bloomOf }: NodeView, mined: Mined | undefined, isFull: unknown): unknown {
  if (!mined) return null;
  const block = isFull ? mined.block : mined.header;
  return bloomOf ? { ...block, logsBloom: bloomOf(mined) } : block;
}

/** -1 for the block of a tag that the node does not have. */
function numberOf(view: NodeView, which: unknown): number {
  const text = String(which);
  if (text.startsWith('0x')) return Number(text);
  if (text === 'latest') return view.chain.length - 1;
  if (text === 'finalized') return view.finalized ?? -1;
  if (text === 'safe') return view.safe ?? -1;
  if (text === 'earliest') return 0;
  throw TAG.test(text)
    ? new Error(`The chain model does not know the tag ${text}.`)
    : new NodeError(-32602, `invalid block number ${text}`);
}

function byHash({ chain, replaced }: NodeView, hash: string): Mined | undefined {
  return chain.findLast(({ block }) => block.hash === hash) ?? replaced?.get(hash);
}

interface Filter {
  readonly address?: Hex | readonly Hex[] | undefined;
  readonly blockHash?: Hex | undefined;
  readonly fromBlock?: string | undefined;
  readonly toBlock?: string | undefined;
}

const FILTER = ['address', 'blockHash', 'fromBlock', 'toBlock'];

function logsOf(view: NodeView, filter: Filter): unknown[] {
  const unknown = Object.keys(filter).find((key) => !FILTER.includes(key));
  if (unknown) throw new Error(`The chain model does not know the filter ${unknown}.`);
  const addresses = [filter.address ?? []].flat();
  const found = blocksOf(view, filter).flatMap(({ logs }) => logs);
  return addresses.length === 0 ? found : found.filter(({ address }) => addresses.includes(address));
}

function blocksOf(view: NodeView, { blockHash, fromBlock = 'latest', toBlock = 'latest' }: Filter) {
  if (blockHash !== undefined) {
    const mined = byHash(view, blockHash);
    if (!mined && !view.hidesUnknown) throw new NodeError(-32000, 'unknown block');
    return mined ? [mined] : [];
  }
  const [from, to] = [numberOf(view, fromBlock), numberOf(view, toBlock)];
  const head = view.chain.length - 1;
  if (from > head && !view.hidesUnknown) {
    throw new NodeError(-32602, `BlockOutOfRangeError: block height is ${head} but requested was ${from}`);
  }
  return view.chain.slice(from, to + 1);
}

function receiptsOf(view: NodeView, which: string): unknown {
  if (view.lacksReceipts) throw new NodeError(-32601, 'the method eth_getBlockReceipts does not exist');
  const mined = which.length === 66 ? byHash(view, which) : view.chain[numberOf(view, which)];
  return mined?.receipts ?? null;
}

function receiptOf(chain: readonly Mined[], hash: unknown): unknown {
  for (const { receipts } of chain) {
    const found = receipts.find(({ transactionHash }) => transactionHash === hash);
    if (found) return found;
  }
  return null;
}
