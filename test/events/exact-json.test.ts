import { describe, expect, it } from 'vitest';
import { parseExactJson } from '../../src/events/exact-json.js';
import { fc } from '../fixtures/property.js';

/** A decimal as an exact fraction: `digits` times ten to the power of `exponent`. */
function fractionOf(decimal: string): { digits: bigint; exponent: number } {
  const [mantissa = '', power = '0'] = decimal.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return {
    digits: BigInt(whole.replace('-', '') + fraction) * (whole.startsWith('-') ? -1n : 1n),
    exponent: Number(power) - fraction.length,
  };
}

/** Whether two decimals are the same quantity, by whole-number arithmetic alone. */
function same(a: string, b: string): boolean {
  const [left, right] = [fractionOf(a), fractionOf(b)];
  const least = Math.min(left.exponent, right.exponent);
  return left.digits * 10n ** BigInt(left.exponent - least) === right.digits * 10n ** BigInt(right.exponent - least);
}

const digits = (maxLength: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${maxLength}}$`));
const whole = digits(30).map((text) => text.replace(/^0+(?=.)/, ''));
const optional = (arbitrary: fc.Arbitrary<string>, before: string) =>
  fc.option(arbitrary, { nil: '' }).map((text) => text && before + text);
const exponent = fc.tuple(fc.constantFrom('', '+', '-'), fc.nat(330)).map(([sign, power]) => `${sign}${power}`);
/** Any spelling of a number that JSON allows. */
const numbers = fc
  .tuple(fc.constantFrom('', '-'), whole, optional(digits(25), '.'), optional(exponent, 'e'))
  .map((parts) => parts.join(''));

describe('parseExactJson', () => {
  it('gives what JSON.parse gives where every number is a safe one', () => {
    const safe = fc.oneof(
      fc.maxSafeInteger(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Number.isInteger(number)),
    );
    const { json } = fc.letrec<{ json: unknown }>((tie) => ({
      json: fc.oneof(
        { maxDepth: 3 },
        safe,
        fc.boolean(),
        fc.constant(null),
        fc.string({ unit: 'binary' }),
        fc.array(tie('json'), { maxLength: 5 }),
        fc.dictionary(fc.string({ unit: 'binary' }), tie('json'), { maxKeys: 5 }),
      ),
    }));
    fc.assert(
      fc.property(json, fc.constantFrom(undefined, 1, '\t'), (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(parseExactJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('keeps the digits of a number that a double cannot hold, and gives a number otherwise', () => {
    fc.assert(
      fc.property(numbers, (text) => {
        const parsed = Number(text);
        const exact = Number.isFinite(parsed) && same(text, String(parsed));
        // A whole number that is no safe one may be exact by chance: the tests below say what becomes of it.
        fc.pre(!exact || Number.isSafeInteger(parsed) || !Number.isInteger(parsed));
        const expected = exact ? parsed : text;
        expect(parseExactJson(text)).toBe(expected);
        expect(parseExactJson(`{"a":[${text} ,{"b":${text}}]}`)).toEqual({ a: [expected, { b: expected }] });
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    '12345678901234567890',
    '9007199254740993',
    '-9007199254740993',
    '1e400',
    '-1e400',
    '1e-400',
    '0.999999999999999999',
    '1.00000000000000000001',
    '123456789012345678.123456789',
    '0.1000000000000000055511151231257827',
    `1${'0'.repeat(500)}`,
    `0.${'1'.repeat(500)}`,
    // A number of more than 400 characters is not looked at.
    `1.${'0'.repeat(399)}`,
  ])('gives %s as its text', (text) => {
    expect(parseExactJson(`[${text}]`)).toEqual([text]);
  });

  it('gives every whole number that is no safe one as its text, whether a double happens to hold it or not', () => {
    // Among them any amount of whole ether in wei.
    const texts = ['9007199254740992', '1000000000000000000', '-1000000000000000000', '1e21', '1E+30'];
    expect(parseExactJson(`[${texts.join()}]`)).toEqual(texts);
  });

  it.each([
    '0',
    '-0',
    '10',
    '-10',
    '0.1',
    '0.10',
    '1.0',
    '1e3',
    '1E+3',
    '100e-1',
    '1e-3',
    '101e-3',
    '1.5e12',
    `1.${'0'.repeat(398)}`,
    '0e400',
    '0.0e-400',
    '9007199254740991',
  ])('gives %s as a number', (text) => {
    expect(parseExactJson(`[${text}]`)).toEqual([Number(text)]);
  });

  it.each([
    '"12345678901234567890"',
    '"[12345678901234567890,"',
    '"\\"12345678901234567890"',
    '"\\\\"',
    '"\\\\\\"12345678901234567890\\\\"',
    '"\\u0022:12345678901234567890"',
    '"-1e999"',
    '"\\ud800"',
    '""',
  ])('leaves the text %s alone, as a value and as a key', (text) => {
    const big = '12345678901234567890';
    expect(parseExactJson(`[${text},${big},${text}]`)).toEqual([JSON.parse(text), big, JSON.parse(text)]);
    expect(parseExactJson(`{${text}:${big}}`)).toEqual({ [JSON.parse(text) as string]: big });
  });

  it('keeps a key that names a prototype as data', () => {
    const parsed = parseExactJson('{"__proto__":{"a":12345678901234567890}}') as object;
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
    expect(Object.entries(parsed)).toEqual([['__proto__', { a: '12345678901234567890' }]]);
  });

  it('takes the last of equal keys, whatever the others contain', () => {
    const key = fc.constantFrom('"a"', '"b"', '"\\u0061"', '"__proto__"', '"0"', '"length"');
    const leaf = fc.constantFrom(
      '1',
      '1e400',
      '12345678901234567890',
      '0.5',
      '-0',
      '0',
      '"1e400"',
      '"1"',
      '"\\u0031"',
      'true',
      'null',
    );
    const { json } = fc.letrec<{ json: string }>((tie) => ({
      json: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie('json'), { maxLength: 4 }).map((texts) => `[${texts.join(' , ')}]`),
        fc
          .array(fc.tuple(key, tie('json')), { maxLength: 6 })
          .map((members) => `{${members.map((member) => member.join(' : ')).join()}}`),
      ),
    }));
    fc.assert(
      fc.property(json, (text) => {
        // As if every number that is not exact had been sent as text.
        const quoted = text.replace(/(?<!")(1e400|12345678901234567890)(?!")/g, '"$1"');
        expect(parseExactJson(text)).toStrictEqual(JSON.parse(quoted));
      }),
      { numRuns: 3000 },
    );
  });

  it('keeps the digits of some numbers of a long list, and the others as numbers', () => {
    const list = (first: string, last: string) => `[${first},${'0.5,'.repeat(5000)}7,${last}]`;
    const half = new Array(5000).fill(0.5);
    expect(parseExactJson(list('1e400', '1'))).toEqual(['1e400', ...half, 7, 1]);
    expect(parseExactJson(list('1', '1e400'))).toEqual([1, ...half, 7, '1e400']);
    // Of equal keys the last one counts, even if its list is shorter, or longer.
    const [long, short] = [list('1e400', '1'), '[1,1e400]'];
    expect(parseExactJson(`{"a":${long},"a":${short}}`)).toEqual({ a: [1, '1e400'] });
    expect(parseExactJson(`{"a":${short},"a":${long}}`)).toEqual({ a: ['1e400', ...half, 7, 1] });
  });

  it('reads a megabyte of numbers, quotes or backslashes', () => {
    const big = '12345678901234567890';
    expect(parseExactJson(`[${new Array(50_000).fill(big).join()}]`)).toEqual(new Array(50_000).fill(big));
    const digits = '9'.repeat(1_000_000);
    expect(parseExactJson(`[${digits},-0.${digits}e${digits}]`)).toEqual([digits, `-0.${digits}e${digits}`]);
    const escapes = '\\\\'.repeat(500_000);
    expect(parseExactJson(`["${escapes}",${big}]`)).toEqual(['\\'.repeat(500_000), big]);
  });
});
