import { describe, expect, it } from 'vitest';
import { hmacHex } from '../../src/runtime/hmac-node.js';
import { classOf, endsPair, type Pair, prefixPair } from './pairs.js';

const BOTH = [0, 1] as const;
const hmac = (body: Uint8Array) => hmacHex(body, '1', 'secret');

const everywhere = Array.from({ length: 64 }, (_, at) => at);

/** The positions at which a given signature differs, by class. */
function differences({ sides, given }: Pair): Record<0 | 1, number[][]> {
  const found: Record<0 | 1, number[][]> = { 0: [], 1: [] };
  for (const side of BOTH) {
    for (const each of BOTH) {
      const positions = everywhere.filter((at) => given[each][at] !== sides[side].mac[at]);
      found[classOf(side, each)].push(positions);
    }
  }
  return found;
}

describe('the classes of a pair', () => {
  it('contain each side and each given signature once', () => {
    for (const given of BOTH) expect(BOTH.map((side) => classOf(side, given)).sort()).toEqual([0, 1]);
    for (const side of BOTH) expect(BOTH.map((given) => classOf(side, given)).sort()).toEqual([0, 1]);
  });

  it('of prefixes differ in the last digit, or in all', () => {
    for (let run = 0; run < 20; run++) {
      const pair = prefixPair(64, hmac);
      for (const { body, mac } of pair.sides) expect(mac).toBe(hmac(body));
      expect(differences(pair)).toEqual({ 0: [[63], [63]], 1: [everywhere, everywhere] });
    }
  });

  it('of ends differ in the first digit, or in the last', () => {
    for (let run = 0; run < 100; run++) {
      expect(differences(endsPair(new Uint8Array(1)))).toEqual({ 0: [[0], [0]], 1: [[63], [63]] });
    }
  });
});
