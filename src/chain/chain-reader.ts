import type { Hex } from '../evm/types.js';
import type { Logger } from '../internal/logger.js';
import { type Block, type Header, hexOf, malformed, readBlock, readHeader, readNumber } from './answers.js';
import type { BlockContents } from './block-events.js';
import { Evidence } from './evidence.js';
import { Habits } from './habits.js';
import { ifRefused, type Rpc, RpcError } from './rpc.js';
import type { Watched } from './watched.js';

/** The block with a number, a tag or a hash; undefined when the node does not have it. */
export async function headerOf(call: Rpc, which: number | string): Promise<Header | undefined> {
  const [number, id] = typeof which === 'number' ? [which, hexOf(which)] : [undefined, which];
  const isHash = id.length === 66;
  const header = readHeader(await call(isHash ? 'eth_getBlockByHash' : 'eth_getBlockByNumber', [id, false]), number);
  if (isHash && header && header.hash !== which) malformed('block.hash', 'the requested hash');
  return header;
}

/** The block of a tag, through the node at an origin. */
export async function taggedBlock(call: Rpc, tag: string, origin: string): Promise<Header> {
  const advice = tag === 'latest' ? '' : ' If the chain has none, set `level: { confirmations: n }`.';
  const header = await headerOf(call, tag).catch((error) => {
    ifRefused(error);
    // Nodes use different messages for this.
    throw new RpcError(`Cannot get the \`${tag}\` block: ${error.message}${advice}`, error);
  });
  if (header) return header;
  throw new RpcError(`The node at ${origin} has no \`${tag}\` block.${advice}`, { reason: 'refused' });
}

export type ChainReader = ReturnType<typeof createChainReader>;

/**
 * Reads a chain through a node and checks every answer. Returns undefined for a block that the node does not have yet.
 */
export function createChainReader(rpc: Rpc, watched: Watched, logger: Logger) {
  const evidence = new Evidence(watched, new Habits(logger));

  return {
    chainId: async () => readNumber(await rpc('eth_chainId', []), 'eth_chainId'),
    /** The number of the last block. */
    head: async () => readNumber(await rpc('eth_blockNumber', []), 'eth_blockNumber'),
    header: (which: number | Hex | 'latest') => headerOf(rpc, which),
    async contents(number: number): Promise<BlockContents | undefined> {
      const block = readBlock(await rpc('eth_getBlockByNumber', [hexOf(number), true]), number);
      if (!block) return undefined;
      return evidence.contentsOf(rpc, block, await evidence.logsOf(rpc, block, true));
    },
    /** See {@link Evidence}. */
    lastResort: (block: Block) => evidence.lastResort(rpc, block),
  };
}
