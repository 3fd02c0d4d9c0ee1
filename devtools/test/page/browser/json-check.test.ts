import { describe, expect, it } from 'vitest';
import { jsonProblem } from '../../../src/page/browser/detail/json-check.js';

const isJson = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('jsonProblem', () => {
  it.each([
    ['', 1, 1, 'Expected a value.'],
    ['[1,]', 1, 4, 'Expected a value.'],
    ['{"a":1,}', 1, 8, 'Expected a key in double quotes.'],
    ['[\n  {"a" 1}\n]', 2, 8, 'Expected a colon after the key.'],
    ['[1 2]', 1, 4, 'Expected a comma or ].'],
    ['{"a":1', 1, 7, 'Expected a comma or }.'],
    ['{"a', 1, 4, 'The string has no end.'],
    ['["\\x"]', 1, 3, 'Unknown escape.'],
    ['["a\nb"]', 1, 4, 'Control characters in strings must be escaped.'],
    ['[] []', 1, 4, 'Expected the end of the text.'],
    ["{'a':1}", 1, 2, 'Expected a key in double quotes.'],
  ])('says what is wrong with %j, and where', (text, line, column, what) => {
    expect(jsonProblem(text)).toEqual({ line, column, what });
  });

  it('agrees with JSON.parse', () => {
    const parts = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"\\u00e9\\n"',
      '1',
      '-0.5e+3',
      '01',
      'true',
      'nul',
      ' ',
      '\t\n',
    ];
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 1103515245 + 12345) % 2 ** 31;
      return Math.floor((seed / 2 ** 31) * below);
    };
    const valid = ['null', ' {} ', '[[],{}]', '{"a":[1,{"b":null}],"c":"\u2028"}', '"\\ud800"', '-1.5E-7'];
    const texts = Array.from({ length: 20_000 }, () =>
      Array.from({ length: 1 + random(7) }, () => parts[random(parts.length)]).join(''),
    );
    expect(valid.filter((text) => !isJson(text) || jsonProblem(text))).toEqual([]);
    expect(texts.filter((text) => isJson(text) !== (jsonProblem(text) === undefined))).toEqual([]);
  });

  it('takes neither long nor deep text', () => {
    expect(jsonProblem(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)).toBeUndefined();
    expect(jsonProblem(`"${'x'.repeat(256_000)}"`)).toBeUndefined();
    expect(jsonProblem(`"${'\\n'.repeat(128_000)}`)?.column).toBe(256_002);
  });
});
