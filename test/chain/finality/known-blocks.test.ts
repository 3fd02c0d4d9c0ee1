import { padHex, toHex } from 'viem';
import { expect, it } from 'vitest';
import { KnownBlocks } from '../../../src/chain/finality/known-blocks.js';

const hashOf = (number: number) => padHex(toHex(number), { size: 32 });

it('forgets the oldest of more than 4096 blocks', () => {
  const known = new KnownBlocks();
  for (let number = 0; number < 5000; number++) {
    expect(known.addFinal(number, hashOf(number))).toBe(true);
    known.addHeader({ number, hash: hashOf(number), parentHash: hashOf(number + 1), timestamp: number, bloom: '' });
  }
  expect([known.final.size, known.headers.size]).toEqual([4096, 4096]);
  expect([known.final.has(903), known.final.has(904), known.final.has(4999)]).toEqual([false, true, true]);
  expect(known.addFinal(4999, hashOf(1))).toBe(false);
  expect(known.final.get(4999)).toBe(hashOf(4999));
});
