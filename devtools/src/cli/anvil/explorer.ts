import type { KnownContract } from '../../deliveries/known-contracts.js';
import type { ChainView, ExplorerLinks } from '../../page/page-state.js';

/** Explorers of large chains and their test networks, by chain id. */
export const EXPLORERS: Readonly<Record<number, string>> = {
  1: 'https://etherscan.io',
  10: 'https://optimistic.etherscan.io',
  56: 'https://bscscan.com',
  100: 'https://gnosisscan.io',
  137: 'https://polygonscan.com',
  8453: 'https://basescan.org',
  42161: 'https://arbiscan.io',
  42220: 'https://celoscan.io',
  59144: 'https://lineascan.build',
  80002: 'https://amoy.polygonscan.com',
  84532: 'https://sepolia.basescan.org',
  421614: 'https://sepolia.arbiscan.io',
  534352: 'https://scrollscan.com',
  11155111: 'https://sepolia.etherscan.io',
};

/** The links of a chain's explorer; undefined if there is none. */
export function explorerLinks(chainId: number): ExplorerLinks | undefined {
  const base = EXPLORERS[chainId];
  if (base === undefined) return undefined;
  const link = (kind: string) => `${base}/${kind}/{}`;
  return { tx: link('tx'), address: link('address'), block: link('block') };
}

/** A chain for the page: the origin of its node, whose path or query may contain a key, and the tokens known so far. */
export const chainView = (
  rpcUrl: string,
  chainId: number,
  known: ReadonlyMap<string, KnownContract>,
): Omit<ChainView, 'contracts'> => ({
  rpcUrl: new URL(rpcUrl).origin,
  chainId,
  tokens: [...known].map(([address, { symbol, decimals }]) => ({ address, symbol, decimals })),
  explorer: explorerLinks(chainId),
});
