import { getAddress, toHex } from 'viem';
import { fc } from '../fixtures/property.js';

/** A value by position, whatever its parameters are called: integers of any width as bigint, tuples as arrays. */
export type Value = bigint | boolean | string | readonly Value[];

/** An ABI parameter; viem's own type is no wider, but its inference over random ABIs never ends. */
export interface Param {
  readonly name: string;
  readonly type: string;
  readonly components?: readonly Param[];
  readonly indexed?: boolean;
}

type Type = Omit<Param, 'name' | 'indexed'>;

/** What an array holds, and how many where the type says so. */
export function elementOf(param: Param): { element: Param; length: number | undefined } | undefined {
  const [, type, length] = /^(.*)\[(\d*)\]$/.exec(param.type) ?? [];
  if (type === undefined) return undefined;
  return { element: { ...param, type }, length: length ? Number(length) : undefined };
}

/** The ends of an integer type's range. */
export function rangeOf(type: string): readonly [min: bigint, max: bigint] | undefined {
  const [, unsigned, bits] = /^(u?)int(\d+)$/.exec(type) ?? [];
  if (bits === undefined) return undefined;
  const size = BigInt(bits);
  return unsigned ? [0n, 2n ** size - 1n] : [-(2n ** (size - 1n)), 2n ** (size - 1n) - 1n];
}

// Names that an object has already, that a promise looks for, or that start as few do.
const AWKWARD = [
  '__proto__',
  'constructor',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'length',
  'then',
  '$',
  '_',
  '$_x',
];

/** A Solidity identifier. */
export const identifier = fc.oneof(
  fc.constantFrom('from', 'to', 'value', 'Transfer'),
  fc.constantFrom(...AWKWARD),
  fc.stringMatching(/^[a-zA-Z_$][a-zA-Z0-9_$]{0,7}$/),
);

/** Names for so many parameters: all different, all empty or some of each. */
function namesFor(count: number): fc.Arbitrary<string[]> {
  const unique = fc.uniqueArray(identifier, { minLength: count, maxLength: count });
  const some = fc
    .tuple(unique, fc.array(fc.boolean(), { minLength: count, maxLength: count }))
    .map(([names, named]) => names.map((name, at) => (named[at] ? name : '')));
  return fc.oneof({ weight: 3, arbitrary: unique }, some, fc.constant(new Array<string>(count).fill('')));
}

/** Gives a list of types their names. */
export function named(types: fc.Arbitrary<Type[]>): fc.Arbitrary<Param[]> {
  return types.chain((list) =>
    namesFor(list.length).map((names) => list.map((type, at) => ({ name: names[at] ?? '', ...type }))),
  );
}

const size = fc.oneof(
  fc.constantFrom(8, 48, 56, 256),
  fc.integer({ min: 1, max: 32 }).map((bytes) => bytes * 8),
);
const simple: fc.Arbitrary<Type> = fc
  .oneof(
    size.map((bits) => `uint${bits}`),
    size.map((bits) => `int${bits}`),
    fc.integer({ min: 1, max: 32 }).map((bytes) => `bytes${bytes}`),
    fc.constantFrom('address', 'bool', 'string', 'bytes'),
  )
  .map((type) => ({ type }));

/** Any Solidity type that an event can have. */
export const anyType = fc.letrec<{ type: Type }>((tie) => ({
  type: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 4, arbitrary: simple },
    {
      weight: 2,
      arbitrary: fc
        .tuple(tie('type'), fc.constantFrom('[]', '[1]', '[2]', '[3]'))
        .map(([type, suffix]) => ({ ...type, type: type.type + suffix })),
    },
    {
      weight: 1,
      arbitrary: named(fc.array(tie('type'), { minLength: 1, maxLength: 3 })).map((components) => ({
        type: 'tuple',
        components,
      })),
    },
  ),
})).type;

function integers(min: bigint, max: bigint): fc.Arbitrary<bigint> {
  const notable = [min, max, 0n, 1n, -1n, 2n ** 53n, 10n ** 18n, 123_456n * 10n ** 12n, max / 2n];
  return fc.oneof(
    fc.constantFrom(...notable.filter((number) => number >= min && number <= max)),
    fc.bigInt({ min, max }),
    fc.bigInt({ min: min / 10n ** 6n, max: max / 10n ** 6n }).map((number) => number * 10n ** 6n),
  );
}

const hexOf = (length: { minLength: number; maxLength: number }) =>
  fc.oneof(
    fc.uint8Array(length).map((bytes) => toHex(bytes)),
    fc.constantFrom(0x00, 0xff).map((byte) => toHex(new Uint8Array(length.minLength).fill(byte))),
  );

// A byte order mark, a NUL, what stands for broken UTF-8, pairs of surrogates, and what looks like other types.
const TEXTS = [
  '',
  '\uFEFF',
  '\uFEFFmark',
  'nul\0',
  '\uFFFD',
  '😀',
  '\u2028<&>',
  '[1]',
  '{"a":1}',
  '"',
  'true',
  '0x00',
  ' 1 ',
];
const texts = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'binary' }).map((text) => `\uFEFF${text}`),
  fc.string({ unit: 'grapheme', minLength: 30, maxLength: 70 }),
);

/** A value of a parameter, more often than not from the ends of its range. */
export function valuesOf(param: Param): fc.Arbitrary<Value> {
  const array = elementOf(param);
  if (array) {
    const { element, length } = array;
    return fc.array(valuesOf(element), { minLength: length ?? 0, maxLength: length ?? 3 });
  }
  if (param.type === 'tuple') return fc.tuple(...(param.components ?? []).map(valuesOf));
  if (param.type === 'bool') return fc.boolean();
  if (param.type === 'string') return texts;
  if (param.type === 'address') return hexOf({ minLength: 20, maxLength: 20 }).map((hex) => getAddress(hex));
  const range = rangeOf(param.type);
  if (range) return integers(...range);
  const bytes = param.type === 'bytes' ? undefined : Number(param.type.slice('bytes'.length));
  return hexOf({ minLength: bytes ?? 0, maxLength: bytes ?? 70 });
}
