import type { Hex } from '../evm/types.js';
import type { Logger } from '../internal/logger.js';
import {
  type Block,
  hexOf,
  placeLogs,
  readBlock,
  readFailed,
  readHeader,
  readNumber,
  readTransaction,
  sendersOf,
} from './answers.js';
import type { BlockContents } from './block-events.js';
import { Evidence } from './evidence.js';
import { Habits, type Oddities } from './habits.js';
import type { Rpc } from './rpc.js';
import type { Watched } from './watched.js';

export type ChainReader = ReturnType<typeof createChainReader>;

/** Reads a chain through a node. Every answer is checked; a block that the node does not have yet is undefined. */
export function createChainReader(rpc: Rpc, watched: Watched, logger: Logger) {
  const habits = new Habits(logger);
  const evidence = new Evidence(watched, habits);

  return {
    chainId: async () => readNumber(await rpc('eth_chainId', []), 'eth_chainId'),
    /** The number of the last block. */
    head: async () => readNumber(await rpc('eth_blockNumber', []), 'eth_blockNumber'),
    async header(number: number | 'latest') {
      const isLatest = number === 'latest';
      const answer = await rpc('eth_getBlockByNumber', [isLatest ? number : hexOf(number), false]);
      return readHeader(answer, isLatest ? undefined : number);
    },
    async contents(number: number): Promise<BlockContents | undefined> {
      const block = readBlock(await rpc('eth_getBlockByNumber', [hexOf(number), true]), number);
      if (!block) return undefined;
      const oddities: Oddities = new Map();
      const { logs, isProven } = await evidence.logsOf(rpc, block, true, oddities);
      const placed = placeLogs(logs, block, oddities);
      const failed = await failedOf(rpc, block, watched, oddities);
      habits.settle(block, oddities);
      return { block, logs: placed, isProven, failed };
    },
    /** See {@link Evidence}. */
    lastResort: (block: Block) => evidence.lastResort(rpc, block),
  };
}

/** Whether the transactions of watched wallets failed, by position in the block. */
export async function failedOf(call: Rpc, block: Block, { wallets }: Watched, oddities: Oddities) {
  const failed = new Map<number, boolean | undefined>();
  if (wallets.size === 0) return failed;
  for (const [index, sender] of sendersOf(block, oddities).entries()) {
    if (!sender || !wallets.has(sender)) continue;
    const { hash } = readTransaction(block, index);
    failed.set(index, readFailed(await call('eth_getTransactionReceipt', [hash]), block, hash));
  }
  return failed;
}

/** Block 0 of the chain that is followed: it distinguishes another chain at the same URL from a re-org of this one. */
export class Genesis {
  #hash: Hex | undefined;

  constructor(private readonly reader: ChainReader) {}

  /** Stores block 0 of the node's current chain. */
  async remember(): Promise<void> {
    this.#hash = await this.#look();
  }

  /**
   * Whether the node now has another chain, according to two answers; undefined when the second contradicts the first.
   * A node that cannot return block 0 counts as having the same chain.
   */
  async isAnother(): Promise<boolean | undefined> {
    if (this.#hash === undefined) return false;
    const theirs = await this.#look();
    if (theirs === undefined || theirs === this.#hash) return false;
    // The nodes behind one URL may not agree.
    return (await this.#look()) === theirs || undefined;
  }

  /** Some nodes have dropped their first blocks, and report that in many ways. */
  async #look(): Promise<Hex | undefined> {
    return this.reader.header(0).then(
      (header) => header?.hash,
      () => undefined,
    );
  }
}
