import * as chains from 'viem/chains';
import { describe, expect, it } from 'vitest';
import { EXPLORERS, explorerLinks, readExplorer } from '../../src/cli/anvil/explorer.js';

describe('the explorer of a chain', () => {
  it.each(Object.entries(EXPLORERS))('%s is the usual one', (id, url) => {
    const found = Object.values(chains).filter((chain) => chain.id === Number(id));
    expect(found.map(({ blockExplorers }) => blockExplorers?.default.url)).toContain(url);
  });

  it('is linked with a place for the hash, the address or the number', () => {
    const links = (base: string) => ({ tx: `${base}/tx/{}`, address: `${base}/address/{}`, block: `${base}/block/{}` });
    expect(explorerLinks(1, undefined)).toEqual(links('https://etherscan.io'));
    expect(explorerLinks(1, 'http://localhost:5100/scan//')).toEqual(links('http://localhost:5100/scan'));
    expect(explorerLinks(31_337, undefined)).toBeUndefined();
  });

  it('may be given as an http or https URL to which paths can be added', () => {
    expect(readExplorer(undefined)).toBeUndefined();
    expect(readExplorer('https://scan.example/a{}')).toBe('https://scan.example/a%7B%7D');
    for (const wrong of [
      'scan.example',
      'javascript:alert(1)',
      'ftp://a/',
      'https://a/?b',
      'https://a/#b',
      'https://u:p@a/',
    ]) {
      expect(() => readExplorer(wrong), wrong).toThrow('--explorer must be the URL of a block explorer');
    }
  });
});
