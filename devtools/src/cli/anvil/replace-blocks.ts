import type { createClient } from 'viem';

/**
 * Replaces the last blocks of anvil's chain with empty ones. Block 1 stays, in which `emulate --anvil` deploys its token.
 *
 * @throws Error when the chain has too few blocks; an error of viem when the node is not anvil or does not answer.
 */
export async function replaceBlocks(
  { request }: Pick<ReturnType<typeof createClient>, 'request'>,
  depth: number,
): Promise<void> {
  const above = Number(await request({ method: 'eth_blockNumber' })) - 1;
  if (depth > above) throw new Error(`the chain has only ${Math.max(0, above)} blocks after block 1.`);
  await request({ method: 'anvil_reorg' as never, params: [depth, []] as never });
}
