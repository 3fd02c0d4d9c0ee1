import { describe, expect, it } from 'vitest';
import { keepable } from '../../../src/stores/sql/letters.js';
import { hexOf, textOf } from '../../../src/stores/sql/table.js';
import { failure } from '../../contracts/letters.js';

describe('the texts of letters', () => {
  it('are hex digits of UTF-8, and read back', () => {
    expect(hexOf(`a'é鍵`)).toBe('6127c3a9e98db5');
    for (const text of ['', `'"\\ $1 ? :x`, '鍵 é 😀']) expect(textOf(hexOf(text))).toBe(text);
  });

  it('have no NUL and no lone surrogate, which the letter keeps as escapes of JSON', () => {
    const odd = 'a\0b\ud800c😀';
    const kept = keepable(failure({ letter: `"${odd}"`, source: odd, code: odd, message: odd }));
    expect(JSON.parse(kept.letter)).toBe(odd);
    expect(kept.letter).toBe('"a\\u0000b\\ud800c😀"');
    for (const text of [kept.source, kept.code, kept.message]) expect(text).toBe('a\ufffdb\ufffdc😀');
    expect(keepable(failure()).source).toBeUndefined();
  });

  it('are refused if the letter is larger than a row of D1, in bytes', () => {
    const refusal = { code: 'ERR_WEBHOOK_STORE', message: expect.stringContaining('too large for a dead letter') };
    expect(() => keepable(failure({ letter: 'x'.repeat(1_900_000) }))).not.toThrow();
    for (const letter of ['x'.repeat(1_900_001), 'é'.repeat(950_001)]) {
      expect(() => keepable(failure({ letter }))).toThrow(expect.objectContaining(refusal));
    }
  });
});
