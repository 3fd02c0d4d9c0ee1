import type { AbiParameter, Address, Hex } from 'viem';
import type { Random } from '../chaos/random.js';

/** Text whose length in bytes, characters and code units differ, or that JSON or a decoder might take for something else. */
const TEXTS = [
  '',
  'a',
  ' ',
  'Grüße',
  '日本語',
  '👩‍👩‍👧',
  '\u0000',
  '"\\\n',
  '<&>\u2028',
  '0x12',
  '{"a":1}',
  '[1]',
  'null',
  '123.456',
];

const hexOf = (random: Random, bytes: number): Hex =>
  `0x${Array.from({ length: bytes }, () => random.int(0, 255).toString(16).padStart(2, '0')).join('')}`;

/** Random arguments for inputs of a function, as viem takes them; the ends of each type's range are among them. */
export function randomArgs(random: Random, inputs: readonly AbiParameter[], addresses: readonly Address[]): unknown[] {
  const integer = (isSigned: boolean, bits: number) => {
    const span = 2n ** BigInt(bits);
    const min = isSigned ? -span / 2n : 0n;
    const value = random.pick([
      min,
      min + span - 1n,
      0n,
      min + (BigInt(hexOf(random, 32)) % span),
      isSigned ? -1n : 1n,
      BigInt(random.int(0, 100)),
    ]);
    return bits <= 48 ? Number(value) : value;
  };

  function one(parameter: AbiParameter): unknown {
    const { type } = parameter;
    const [, element, length] = /^(.*)\[(\d*)\]$/s.exec(type) ?? [];
    if (element !== undefined) {
      const count = length === '' ? random.pick([0, 1, 2, 5]) : Number(length);
      return Array.from({ length: count }, () => one({ ...parameter, type: element }));
    }
    if ('components' in parameter) {
      // Not an assignment, which would be lost on a component named __proto__.
      return Object.fromEntries(parameter.components.map((component) => [component.name, one(component)]));
    }
    const [, unsigned, bits] = /^(u?)int(\d+)$/.exec(type) ?? [];
    if (bits !== undefined) return integer(unsigned === '', Number(bits));
    const [, size] = /^bytes(\d*)$/.exec(type) ?? [];
    if (size !== undefined) return hexOf(random, size === '' ? random.pick([0, 1, 31, 32, 33, 100]) : Number(size));
    if (type === 'bool') return random.chance(0.5);
    if (type === 'address') return random.pick([...addresses, '0x0000000000000000000000000000000000000000' as const]);
    if (type === 'string') return random.pick(TEXTS).repeat(random.pick([1, 1, 2, 40]));
    throw new Error(`No arguments of type ${type}.`);
  }
  return inputs.map(one);
}

/** Bytes for a string that nothing has checked: UTF-8, broken in the ways in which it can be, and marked. */
export function anyBytes(random: Random): Hex {
  const texts: Hex[] = [
    '0x',
    '0xefbbbf',
    '0xefbbbf61',
    '0x61efbbbf',
    '0xff',
    '0xe282',
    '0xe28261',
    '0xf09f91',
    '0xc080',
    '0xeda080',
  ];
  return random.pick([...texts, hexOf(random, random.int(1, 40)), '0xf4908080', '0xc3a9', '0x00']);
}
