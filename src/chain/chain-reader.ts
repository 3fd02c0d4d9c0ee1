import { type Block, type Header, hexOf, readBlock, readFailed, readHeader, readLogs, readNumber } from './answers.js';
import type { BlockContents } from './block-events.js';
import type { Rpc } from './rpc.js';
import type { Watched } from './settings.js';
import { readTransaction, sendersOf } from './transaction.js';

/** What a node knows of its chain. Every answer is checked; what is not there yet is undefined. */
export interface ChainReader {
  chainId(): Promise<number>;
  /** The number of its last block. */
  head(): Promise<number>;
  header(number: number | 'latest'): Promise<Header | undefined>;
  contents(number: number): Promise<BlockContents | undefined>;
}

export function createChainReader(rpc: Rpc, { contracts, wallets }: Watched): ChainReader {
  const addresses = [...contracts.keys()];

  async function logsOf(block: Block) {
    if (addresses.length === 0) return [];
    // By hash: those of a block that took its place meanwhile would be others.
    return readLogs(await rpc('eth_getLogs', [{ blockHash: block.hash, address: addresses }]), block);
  }

  async function failedOf(block: Block) {
    const failed = new Map<number, boolean | undefined>();
    if (wallets.size === 0) return failed;
    for (const [index, sender] of sendersOf(block).entries()) {
      if (!wallets.has(sender)) continue;
      const { hash } = readTransaction(block, index);
      failed.set(index, readFailed(await rpc('eth_getTransactionReceipt', [hash]), block, hash));
    }
    return failed;
  }

  return {
    chainId: async () => readNumber(await rpc('eth_chainId', []), 'eth_chainId'),
    head: async () => readNumber(await rpc('eth_blockNumber', []), 'eth_blockNumber'),
    async header(number) {
      const isLatest = number === 'latest';
      const answer = await rpc('eth_getBlockByNumber', [isLatest ? number : hexOf(number), false]);
      return readHeader(answer, isLatest ? undefined : number);
    },
    async contents(number) {
      const block = readBlock(await rpc('eth_getBlockByNumber', [hexOf(number), true]), number);
      return block && { block, logs: await logsOf(block), failed: await failedOf(block) };
    },
  };
}
