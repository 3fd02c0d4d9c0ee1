import { AbiCoder } from 'ethers';
import type { Hex } from 'viem';
import { createRandom } from '../../chaos/random.js';
import type { Param, Value } from '../arbitrary-types.js';
import { canonicalType, encode } from '../encode.js';
import { ethers, ethersTypes, type Outcome, ours, viem } from './decoders.js';
import { DIFFERENCES, isSame } from './differences.js';
import { mutate, repeating } from './mutate.js';
import { randomParam, randomValue } from './random-values.js';

/** Preparing the decoders for a type takes longer than a value. */
const VALUES_OF_A_TYPE = 4;

/** What the decoders made of a number of pairs. */
export interface Report {
  readonly pairs: number;
  /** Mutated encodings that we decode. */
  readonly mutantsRead: number;
  /** How many differences each rule explains. */
  readonly differences: ReadonlyMap<string, number>;
}

/**
 * Compares three decoders over random pairs of types and values: their encodings by viem and by ethers, and a mutant.
 *
 * @throws Error for a difference that no rule explains, with the type, the data and the outcomes.
 */
export function compare(pairs: number, seed: number, onPair?: (done: number) => void): Report {
  const random = createRandom(seed);
  const differences = new Map(DIFFERENCES.map(({ other, name }) => [`${other} ${name}`, 0]));
  let mutantsRead = 0;

  function checker(params: readonly Param[]): (data: Hex) => Outcome {
    const read = ours(params);
    const others = Object.entries({ viem: viem(params), ethers: ethers(params) });
    return (data) => {
      const own = read(data);
      for (const [name, decode] of others) {
        const other = decode(data);
        if ('values' in own ? 'values' in other && isSame(own.values, other.values) : 'refused' in other) continue;
        const again = (zeros: number) => decode(`${data}${'00'.repeat(zeros)}`);
        const rule = DIFFERENCES.find((each) => each.other === name && each.explains(own, other, again));
        if (rule === undefined) throw unexplained(params, data, { ours: own, [name]: other });
        const key = `${name} ${rule.name}`;
        differences.set(key, (differences.get(key) ?? 0) + 1);
      }
      return own;
    };
  }

  const checkRepeating = checker([{ name: '', type: 'uint256[][]' }]);
  for (let pair = 0; pair < pairs; ) {
    const params = Array.from({ length: random.pick([1, 1, 2, 3]) }, () => randomParam(random));
    const types = ethersTypes(params);
    const check = checker(params);
    for (let left = VALUES_OF_A_TYPE; left > 0 && pair < pairs; left--) {
      const values: Value = params.map((param) => randomValue(random, param));
      const encoded = encode(params, values);
      const byEthers = AbiCoder.defaultAbiCoder().encode(types, values);
      if (encoded !== byEthers) throw unexplained(params, encoded, { byEthers });
      const read = check(encoded);
      if (!('values' in read && isSame(read.values, values))) throw unexplained(params, encoded, { values, read });
      if ('values' in check(mutate(random, encoded))) mutantsRead++;
      if (++pair % 50 === 0) checkRepeating(repeating(random));
      onPair?.(pair);
    }
  }
  return { pairs, mutantsRead, differences };
}

function unexplained(params: readonly Param[], data: Hex, found: object): Error {
  const text = JSON.stringify(found, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
  return new Error(`Unexplained difference: (${params.map(canonicalType)}) of ${data}: ${text}`);
}
