import { describe, expect, it } from 'vitest';
import { compare } from './compare.js';

describe('our decoder, that of viem and that of ethers', { timeout: 60_000 }, () => {
  it('agree on what viem and ethers encode and on mutants of it, but for differences that are explained', () => {
    const { pairs, mutantsRead, differences } = compare(2000, Number(process.env.FAST_CHECK_SEED ?? 4231));
    expect(mutantsRead).toBeGreaterThan(pairs / 10);
    expect(mutantsRead).toBeLessThan(pairs);
    expect([...differences.values()].filter((count) => count > 0).length).toBeGreaterThan(5);
  });
});
