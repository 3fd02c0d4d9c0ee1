import { describe, expect, it } from 'vitest';
import { type Statements, type Status, wordsOf } from '../../../src/stores/sql/dialect.js';
import type { RunStatement } from '../../../src/stores/sql/index.js';
import { keepable, sqlLetters } from '../../../src/stores/sql/letters.js';
import { postgresStatements } from '../../../src/stores/sql/postgres.js';
import { tableOf } from '../../../src/stores/sql/table.js';
import { DELIVERY, RETRY } from '../../../src/stores/store.js';
import { failure } from '../../contracts/letters.js';

const right = postgresStatements(tableOf('a.b', 'postgres'), { leaseMs: 1000, retentionMs: 1000 });
const conflict = Object.assign(new Error('deadlock detected'), { code: '40P01' });
const failed = { attempts: 1, firstFailedAt: 1, isDead: false };

/** A table without rows that counts a failure. `begin` is called first, and tells whether the key is unlocked. */
function lettersWith(begin: () => boolean, status: Statements['status'] = async () => new Map()) {
  const run: RunStatement = async (text) => {
    if (text.includes('LEFT JOIN')) return { rows: [[1, null, null, begin() ? 1 : 0, 0, null, null, null, null]] };
    return { rows: text.startsWith('INSERT') ? [{ one: 1 }] : [] };
  };
  return sqlLetters(run, { ...right, status }, 1000);
}

describe('failures in a table', () => {
  it('are counted again after a conflict, which changed nothing, five times in all', async () => {
    let tries = 0;
    const failing = (error: Error): never => {
      throw error;
    };
    const lettersAfter = (most: number) => lettersWith(() => ++tries >= most || failing(conflict));
    expect(await lettersAfter(5).fail('a', failure())).toEqual(failed);
    expect(tries).toBe(5);
    tries = 0;
    await expect(lettersAfter(6).fail('a', failure())).rejects.toBe(conflict);
    const other = lettersWith(() => failing(new Error('disk full')));
    await expect(other.fail('a', failure())).rejects.toThrow('disk full');
  });

  it('wait a moment for a transaction that the server is ending, and not for a run', async () => {
    let tries = 0;
    const begin = () => ++tries >= 3;
    expect(await lettersWith(begin).fail('a', failure())).toEqual(failed);
    tries = -100;
    expect(await lettersWith(begin).fail('a', failure())).toBeUndefined();
    expect(tries).toBe(-95);
    expect(await lettersWith(begin, async () => new Map([['a', 'in-progress']])).fail('a', failure())).toBe(undefined);
    expect(tries).toBe(-94);
  });
});

it('dead letters in a table are read by position, as clients may rename columns', async () => {
  const row = { a: 'key', b: '2', c: 3n, d: '4', e: 'E', f: 'm', g: '{}', h: null, i: null };
  const letter = { attempts: 2, firstFailedAt: 3, lastFailedAt: 4, code: 'E', message: 'm', letter: '{}' };
  const found = await sqlLetters(async () => ({ rows: [row] }), right, 1000).look(['key']);
  expect(found).toEqual(new Map([['key', { ...letter, source: undefined }]]));
});

describe('the texts of letters', () => {
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

describe('the answer for a key that a step could not claim', () => {
  const found = new Map<string, Status>([
    ['done', 'duplicate'],
    ['held', 'in-progress'],
    ['open', 'unknown'],
    ['dead', 'dead'],
  ]);
  const keys = [...found.keys(), 'free'];

  it('is a duplicate for a delivery of a dead letter, and none for a free key', () => {
    expect(wordsOf(found, keys, DELIVERY)).toEqual(new Map([...found, ['dead', 'duplicate']]));
  });

  it('is a duplicate for the retry of another key, and not for that of a dead letter', () => {
    const words = new Map([...found, ['free', 'duplicate']]);
    words.delete('dead');
    expect(wordsOf(found, keys, RETRY)).toEqual(words);
  });
});
