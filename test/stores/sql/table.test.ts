import { describe, expect, it } from 'vitest';
import { chunksOf, hexOf, literal, literals, tableOf, textOf } from '../../../src/stores/sql/table.js';

describe('the names of tables', () => {
  it('are quoted as the dialect wants, with a schema or without', () => {
    expect(tableOf('keys', 'sqlite')).toEqual({
      name: 'keys',
      schema: undefined,
      quoted: '"keys"',
      index: '"keys_expires_at_idx"',
      cursors: '"keys_cursors"',
    });
    expect(tableOf('App.keys', 'mysql')).toEqual({
      name: 'App.keys',
      schema: 'App',
      quoted: '`App`.`keys`',
      index: '`keys_expires_at_idx`',
      cursors: '`App`.`keys_cursors`',
    });
    expect(tableOf('App.keys', 'postgres').cursors).toBe('"App"."keys_cursors"');
  });

  it('have no schema in SQLite', () => {
    expect(() => tableOf('main.keys', 'sqlite')).toThrow(
      '`table` must be a name of at most 48 letters, digits and _, got a string.',
    );
    const several = '`table` must be a name of at most 48 letters, digits and _, or schema.table, got';
    expect(() => tableOf('a.b.c', 'postgres')).toThrow(`${several} a string.`);
    expect(() => tableOf(7 as never, 'mysql')).toThrow(`${several} a number.`);
  });
});

describe('values in statements', () => {
  it('are literals', () => {
    expect(literal('a:b')).toBe("'a:b'");
    expect(literals(['a', 'b'])).toBe("'a', 'b'");
  });

  it.each(["'", "a'b", "'a", "a'", '\\', 'a b', 'ü', '', '"', 'x'.repeat(201), 'a\n'])('are refused: %j', (value) => {
    const refusal = new TypeError('The value cannot be put into a statement.');
    for (const of of [literal, (text: string) => literals(['a', text])]) expect(() => of(value)).toThrow(refusal);
  });

  it('are hex digits of UTF-8 where they are not plain, and read back', () => {
    expect(hexOf(`a'é鍵`)).toBe('6127c3a9e98db5');
    for (const text of ['', `'"\\ $1 ? :x`, '鍵 é 😀']) expect(textOf(hexOf(text))).toBe(text);
  });

  it('are split where a statement would be too long', () => {
    expect(chunksOf([])).toEqual([]);
    expect(chunksOf(['a', 'b'], 2)).toEqual([['a', 'b']]);
    expect(chunksOf(['a', 'b', 'c', 'd', 'e'], 2)).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
    const keys = Array.from({ length: 1001 }, (_, index) => `${index}`);
    expect(chunksOf(keys).map((chunk) => chunk.length)).toEqual([1000, 1]);
    expect(chunksOf(keys.slice(1))).toHaveLength(1);
  });
});
