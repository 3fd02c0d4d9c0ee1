import type { Random } from '../chaos/random.js';

/** What mutators draw from. */
export interface Material {
  readonly random: Random;
  readonly words: readonly Buffer[];
  readonly mostBytes: number;
  /** Another input, to splice with. */
  other(): Buffer;
}

type Mutator = (input: Buffer, material: Material) => Buffer;

const EDGES = [0, 1, 0x0a, 0x20, 0x22, 0x30, 0x5c, 0x7f, 0x80, 0xc0, 0xff];
const LONGEST_REPEAT = 512;

const replaced = (input: Buffer, from: number, to: number, by: Uint8Array) =>
  Buffer.concat([input.subarray(0, from), by, input.subarray(to)]);

/** A part of an input: more often a small one. */
function part(input: Buffer, random: Random): [from: number, to: number] {
  const from = random.int(0, input.length);
  const most = Math.min(input.length - from, 2 ** random.int(0, 8));
  return [from, from + random.int(0, most)];
}

function withByte(input: Buffer, random: Random, change: (byte: number) => number): Buffer {
  const copy = Buffer.from(input);
  const at = random.int(0, Math.max(0, copy.length - 1));
  if (at < copy.length) copy[at] = change(copy[at] as number);
  return copy;
}

/** Adds to a whole number of 1 to 8 bytes, in either order. */
function addToWord(input: Buffer, random: Random): Buffer {
  const copy = Buffer.from(input);
  const size = Math.min(2 ** random.int(0, 3), copy.length);
  const from = random.int(0, copy.length - size);
  const word = copy.subarray(from, from + size);
  const isLittle = random.chance(0.5);
  let carry = random.pick([1, -1, 32, -32, random.int(-255, 255)]);
  for (let step = 0; step < size && carry !== 0; step++) {
    const at = isLittle ? step : size - 1 - step;
    const sum = (word[at] as number) + carry;
    word[at] = sum & 0xff;
    carry = sum >> 8;
  }
  return copy;
}

const NUMBERS = (
  '0 -1 1 -0 255 256 65536 2147483648 4294967295 9007199254740991 9007199254740993 18446744073709551616 ' +
  '1e21 1e400 0.1 5e-324 1.0 100000000000000000000'
)
  .split(' ')
  .map((text) => Buffer.from(text));

/** Replaces a number in the text. */
function otherNumber(input: Buffer, random: Random): Buffer {
  const numbers = [...input.toString('latin1').matchAll(/\d+/g)];
  const found = numbers.length > 0 ? random.pick(numbers) : undefined;
  if (!found) return input;
  const near = Buffer.from(String(BigInt(found[0].slice(0, 30)) + BigInt(random.int(-2, 2))));
  const by = random.chance(0.5) ? near : random.pick(NUMBERS);
  return replaced(input, found.index, found.index + found[0].length, by);
}

const mutators: readonly Mutator[] = [
  (input, { random }) => withByte(input, random, (byte) => byte ^ (1 << random.int(0, 7))),
  (input, { random }) => withByte(input, random, () => random.int(0, 255)),
  (input, { random }) => withByte(input, random, () => random.pick(EDGES)),
  (input, { random }) => addToWord(input, random),
  (input, { random }) => otherNumber(input, random),
  (input, { random }) => replaced(input, ...part(input, random), Buffer.alloc(0)),
  (input, { random }) => {
    const at = random.int(0, input.length);
    return replaced(input, at, at, Buffer.from(Array.from({ length: random.int(1, 8) }, () => random.int(0, 255))));
  },
  (input, { random }) => {
    const at = random.int(0, input.length);
    return replaced(input, at, at, input.subarray(...part(input, random)));
  },
  (input, { random }) => {
    const [from, to] = part(input, random);
    const times = random.int(1, Math.max(1, Math.floor(LONGEST_REPEAT / (to - from + 1))));
    return replaced(input, from, from, Buffer.concat(Array.from({ length: times }, () => input.subarray(from, to))));
  },
  insertWord,
  insertWord,
  (input, { random, words }) =>
    words.length > 0 ? replaced(input, ...part(input, random), random.pick(words)) : input,
  (input, { random, other }) => {
    const from = other();
    return replaced(input, ...part(input, random), from.subarray(...part(from, random)));
  },
  (input, { random, other }) => {
    const from = other();
    const [head, tail] = [random.int(0, input.length), random.int(0, from.length)];
    return Buffer.concat([input.subarray(0, head), from.subarray(tail)]);
  },
];

function insertWord(input: Buffer, { random, words }: Material): Buffer {
  if (words.length === 0) return input;
  const at = random.int(0, input.length);
  return replaced(input, at, at, random.pick(words));
}

/** A mutant of an input: mostly by few mutators, and never larger than allowed. */
export function mutate(input: Buffer, material: Material): Buffer {
  const { random, mostBytes } = material;
  let mutant = input;
  do mutant = random.pick(mutators)(mutant, material);
  while (random.chance(0.5));
  return mutant.subarray(0, mostBytes);
}
