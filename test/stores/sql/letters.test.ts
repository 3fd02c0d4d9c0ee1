import { describe, expect, it } from 'vitest';
import type { LetterStatements, Statements, Status } from '../../../src/stores/sql/dialect.js';
import { wordsOf } from '../../../src/stores/sql/dialect.js';
import type { RunStatement } from '../../../src/stores/sql/index.js';
import { sqlLetters } from '../../../src/stores/sql/letters.js';
import { postgresStatements } from '../../../src/stores/sql/postgres.js';
import { tableOf } from '../../../src/stores/sql/table.js';
import { DELIVERY, RETRY } from '../../../src/stores/store.js';
import { failure } from '../../contracts/letters.js';

const right = postgresStatements(tableOf('a.b', 'postgres'), { leaseMs: 1000, retentionMs: 1000 });
const conflict = Object.assign(new Error('deadlock detected'), { code: '40P01' });
const failed = { attempts: 1, firstFailedAt: 1, isDead: false };

function lettersWith(letters: Partial<LetterStatements>, status: Statements['status'] = async () => new Map()) {
  const run: RunStatement = async () => ({ rows: [] });
  return sqlLetters(run, { ...right, status, letters: { ...right.letters, ...letters } });
}

describe('failures in a table', () => {
  it('are counted again after a conflict, which changed nothing, five times in all', async () => {
    let tries = 0;
    const lettersAfter = (most: number) =>
      lettersWith({ fail: async () => (++tries < most ? Promise.reject(conflict) : failed) });
    expect(await lettersAfter(5).fail('a', failure())).toEqual(failed);
    expect(tries).toBe(5);
    tries = 0;
    await expect(lettersAfter(6).fail('a', failure())).rejects.toBe(conflict);
    const other = lettersWith({ fail: () => Promise.reject(new Error('disk full')) });
    await expect(other.fail('a', failure())).rejects.toThrow('disk full');
  });

  it('wait a moment for a transaction that the server is ending, and not for a run', async () => {
    let tries = 0;
    const fail = async () => (++tries < 3 ? undefined : failed);
    expect(await lettersWith({ fail }).fail('a', failure())).toEqual(failed);
    tries = -100;
    expect(await lettersWith({ fail }).fail('a', failure())).toBeUndefined();
    expect(tries).toBe(-95);
    expect(await lettersWith({ fail }, async () => new Map([['a', 'in-progress']])).fail('a', failure())).toBe(
      undefined,
    );
    expect(tries).toBe(-94);
  });

  it('say that the table is missing, at every step', async () => {
    const run: RunStatement = () => Promise.reject(Object.assign(new Error('no'), { code: '42P01' }));
    const letters = sqlLetters(run, right);
    for (const step of [
      letters.fail('a', failure()),
      letters.look(['a']),
      letters.list({ limit: 1 }),
      letters.discard(['a']),
    ])
      await expect(step).rejects.toThrow('The table a.b does not exist. Call migrate() of the store');
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
