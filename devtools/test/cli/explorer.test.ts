import * as chains from 'viem/chains';
import { describe, expect, it } from 'vitest';
import { EXPLORERS, explorerLinks } from '../../src/cli/anvil/explorer.js';

describe('the explorer of a chain', () => {
  it.each(Object.entries(EXPLORERS))('%s is the usual one', (id, url) => {
    const found = Object.values(chains).filter((chain) => chain.id === Number(id));
    expect(found.map(({ blockExplorers }) => blockExplorers?.default.url)).toContain(url);
  });

  it('is linked with a place for the hash, the address or the number', () => {
    const links = (base: string) => ({ tx: `${base}/tx/{}`, address: `${base}/address/{}`, block: `${base}/block/{}` });
    expect(explorerLinks(1)).toEqual(links('https://etherscan.io'));
    expect(explorerLinks(31_337)).toBeUndefined();
  });
});
