import { describe, expect, it } from 'vitest';
import { pretty, unfolded } from '../../../src/page/browser/detail/pretty.js';
import { tokensOf } from '../../../src/page/browser/detail/tokens.js';

describe('pretty', () => {
  it('keeps every token as it is, whatever the text', () => {
    const texts = ['{"__proto__":1e400,"a":[],"b":{ }}', '["\\"]{,",-0.0 ,\ttrue]', '{"a":', ']]]', '"open', ''];
    const results = texts.map(pretty);
    expect(results[0]).toBe('{\n  "__proto__": 1e400,\n  "a": [],\n  "b": {}\n}');
    const bare = (text: string) => text.replace(/\s+/g, '');
    expect(results.map(bare)).toEqual(texts.map(bare));
  });
});

describe('unfolded', () => {
  it('puts the content of a string that is JSON after it, indented', () => {
    const text = pretty('{"rawFields":"{\\"a\\":[1]}","note":"[not json","n":1}');
    expect(unfolded(text)).toEqual([
      { text: '{\n  "rawFields": "{\\"a\\":[1]}",' },
      { text: '{\n  "a": [\n    1\n  ]\n}', unfolded: true },
      { text: '  "note": "[not json",\n  "n": 1\n}' },
    ]);
  });
});

describe('tokensOf', () => {
  it('takes linear time for any text', () => {
    const start = performance.now();
    for (const text of ['"', '\\"', '" ', '1', 'a', '-', '{"a":']) tokensOf(text.repeat(300_000));
    expect(performance.now() - start).toBeLessThan(3000);
  });
});
