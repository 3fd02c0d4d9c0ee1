import { getAddress } from 'viem';
import type { Random } from '../../chaos/random.js';
import { elementOf, type Param, rangeOf, type Value } from '../arbitrary-types.js';

const TEXTS = ['', 'a', 'Grüße, 日本語', '👩‍👩‍👧', '\uFEFFmark', 'nul\0', '\uFFFD', '"\\\n<&>\u2028'];
const LENGTHS = [0, 1, 4, 31, 32, 33, 64, 70];

/** A parameter of any type that an event can have, without names, so that every tuple decodes to a list. */
export function randomParam(random: Random, depth = 0): Param {
  const form = depth < 3 ? random.int(0, 9) : 9;
  if (form < 3) {
    const element = randomParam(random, depth + 1);
    return { ...element, type: element.type + random.pick(['[]', '[]', '[1]', '[2]', '[3]']) };
  }
  if (form < 5) {
    const components = Array.from({ length: random.int(1, 3) }, () => randomParam(random, depth + 1));
    return { name: '', type: 'tuple', components };
  }
  const kind = random.pick(['uint', 'uint', 'int', 'bytesN', 'address', 'bool', 'string', 'bytes']);
  const size = random.int(1, 32);
  if (kind.endsWith('int')) return { name: '', type: kind + 8 * random.pick([size, 32, 1, 6, 7]) };
  return { name: '', type: kind === 'bytesN' ? `bytes${size}` : kind };
}

/** A value of a parameter, often one of the ends of its range. */
export function randomValue(random: Random, param: Param): Value {
  const array = elementOf(param);
  if (array) {
    const length = array.length ?? random.pick([0, 1, 2, 3, 9]);
    return Array.from({ length }, () => randomValue(random, array.element));
  }
  if (param.components) return param.components.map((each) => randomValue(random, each));
  const range = rangeOf(param.type);
  if (range) return randomInteger(random, ...range);
  if (param.type === 'bool') return random.chance(0.5);
  if (param.type === 'string') return random.pick(TEXTS).repeat(random.pick([1, 1, 2, 9]));
  if (param.type === 'address') return getAddress(`0x${random.hex(40)}`);
  const size = param.type === 'bytes' ? random.pick(LENGTHS) : Number(param.type.slice('bytes'.length));
  return `0x${random.hex(2 * size)}`;
}

function randomInteger(random: Random, min: bigint, max: bigint): bigint {
  const any = min + (BigInt(`0x${random.hex(64)}`) % (max - min + 1n));
  const few = BigInt(random.int(0, 100));
  return random.pick([min, max, 0n, any, any, few]);
}
