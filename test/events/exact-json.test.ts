import { describe, expect, it } from 'vitest';
import { exactText, isJsonValue, isLargeAndInexact, needsCare, parseExactJson } from '../../src/events/exact-json.js';

const nested = (levels: number, inside: unknown) => {
  let value = inside;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { value };
  return value;
};

describe('parseExactJson', () => {
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
    '10.10',
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

describe('a number that JSON.parse rounds to a whole one', () => {
  it.each([
    '@',
    ' -@',
    '[@]',
    '[-@]',
    '[0,@]',
    '[ \t\r\n@]',
    '[ -@]',
    '{"a":@}',
    '{"a" \t\r\n: \t\r\n-@}',
    '["1.2.3",@]',
    '["a-b","e-1",0,@]',
  ])('is seen in %s', (text) => {
    for (const number of [
      '1.00000000000000000001',
      '0.99999999999999999999',
      '9.00000000000000000001',
      '1e-400',
      '12E-400',
    ]) {
      expect(JSON.stringify(parseExactJson(text.replace('@', number)))).toMatch(`${number}"`);
    }
  });
});

describe('needsCare', () => {
  it.each([
    '[0,-7,null,true]',
    '{"1":"2026-01-02","a":[9007199254740991]}',
    '["name.sol","v1.2","1.5",".5","1:1.5"]',
    '["a-b","e-1","1e-1","1E-1","-"]',
    '[1,"[","-1.5",1e3]',
  ])('is false, so that a text is parsed once, for %s', (text) => {
    expect(needsCare(JSON.parse(text), text)).toBe(false);
  });
});

describe('isLargeAndInexact', () => {
  const LARGE = 2 ** 20;

  it.each(['[1234567890123456', '[ \t-1234567890123456', '{"a":1.5', '[0, 12.5', '[12e3', '[12E3'])(
    'is true for a large text that begins with %s',
    (text) => {
      expect(isLargeAndInexact(text.padEnd(LARGE + 1))).toBe(true);
      expect(isLargeAndInexact(text.padEnd(LARGE))).toBe(false);
    },
  );

  it.each([
    '[123456789012345,12]',
    '["1234567890123456","1.5"]',
    '["abcdefghijklmnopqrst.uvw"]',
    `["${'x'.repeat(2 ** 16)}",1.5]`,
  ])('is false for a large text that begins with %.40s', (text) => {
    expect(isLargeAndInexact(text.padEnd(LARGE + 1))).toBe(false);
  });
});

describe('exactText', () => {
  it.each([
    ['[[[1e400]],[1e400]]', '["…",["1e400"]]'.replace('"…",', '["…"],')],
    ['{"a":{"b":{"c":[]}},"d":"]"}', '{"a":{"b":"…"},"d":"]"}'],
    ['[[[],{"a":1},"["],1]', '[["…","…","["],1]'],
  ])('replaces what is below two levels of %s', (text, expected) => {
    expect(exactText(text, 2)).toBe(expected);
  });

  it.each([
    '{12345678901234567890:1}',
    '{12345678901234567890 \n:1}',
    '["12345678901234567890',
    '["12345678901234567890\\',
    '',
  ])('makes no JSON of %j', (text) => {
    expect(() => JSON.parse(exactText(text))).toThrow(SyntaxError);
  });
});

describe('isJsonValue', () => {
  it.each(['', 'x', 0, -1.5, Number.MAX_SAFE_INTEGER, null, true, [], {}, ['x', { a: [1] }]])('takes %j', (value) => {
    expect(isJsonValue(value)).toBe(true);
  });

  it.each([
    undefined,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    2 ** 53,
    -(2 ** 53),
    1e300,
    1n,
    Symbol('x'),
    () => 'x',
    [undefined],
    { a: [2 ** 53] },
  ])('refuses what JSON cannot carry, or not exactly: %s', (value) => {
    expect(isJsonValue(value)).toBe(false);
  });

  it('goes 256 levels deep and refuses what is deeper', () => {
    for (const leaf of ['x', 7, null]) {
      expect(isJsonValue(nested(256, leaf))).toBe(true);
      expect(isJsonValue(nested(257, leaf))).toBe(false);
    }
    expect(isJsonValue(nested(1_000_000, 'x'))).toBe(false);
  });
});
