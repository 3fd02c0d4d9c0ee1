import { expect, it } from 'vitest';
import { pretty, unfolded } from '../../../src/page/browser/detail/pretty.js';
import { tokensOf } from '../../../src/page/browser/detail/tokens.js';

it('pretty keeps every token as it is, whatever the text', () => {
  const texts = ['{"__proto__":1e400,"a":[],"b":{ }}', '["\\"]{,",-0.0 ,\ttrue]', '{"a":', ']]]', '"open', ''];
  const results = texts.map(pretty);
  expect(results[0]).toBe('{\n  "__proto__": 1e400,\n  "a": [],\n  "b": {}\n}');
  const bare = (text: string) => text.replace(/\s+/g, '');
  expect(results.map(bare)).toEqual(texts.map(bare));
});

it('unfolded puts the content of a string that is JSON after it, indented', () => {
  const text = pretty('{"rawFields":"{\\"a\\":[1]}","note":"[not json","n":1}');
  expect(unfolded(text)).toEqual([
    { text: '{\n  "rawFields": "{\\"a\\":[1]}",' },
    { text: '{\n  "a": [\n    1\n  ]\n}', unfolded: true },
    { text: '  "note": "[not json",\n  "n": 1\n}' },
  ]);
});

it('finds the tokens of a text that is no JSON', () => {
  expect(tokensOf('"open').map(([kind]) => kind)).toEqual(['string']);
  expect(tokensOf('{"a": -1, "b": nul').map(([kind]) => kind)).toEqual(['key', 'number', 'key', 'word']);
});
