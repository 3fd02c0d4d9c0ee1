import { describe, expect, it } from 'vitest';
import { type SynchronousDatabase, sqlStore } from '../../../../src/stores/sql/index.js';
import { failing } from '../../../contracts/store-helpers.js';
import { once, onceEach } from '../../calls.js';

/** A connection that notes its statements. Nobody has the keys `claimed`. `fails` throws for some statements. */
function storeOver(claimed: readonly string[], fails: (statement: string) => unknown = () => undefined) {
  const log: string[] = [];
  let state: 'free' | 'in a transaction' = 'free';
  const db: SynchronousDatabase<undefined> = {
    dialect: 'sqlite',
    connection: undefined,
    state: () => state,
    runNow(statement) {
      log.push(/\w+/.exec(statement)?.[0] ?? '');
      const error = fails(statement);
      if (error) throw error;
      if (statement.startsWith('BEGIN')) state = 'in a transaction';
      if (['COMMIT', 'ROLLBACK'].includes(statement)) state = 'free';
      return statement.startsWith('INSERT') ? claimed.map((key) => ({ key })) : [];
    },
  };
  return { store: sqlStore({ db, transactional: true }), log };
}

/** A store with a COMMIT that fails once. */
function committing(error: Error) {
  const errors = [error];
  const { store, log } = storeOver(['a'], (statement) => statement === 'COMMIT' && errors.shift());
  return { word: once(store, 'a', () => {}), log };
}

describe('the steps of a synchronous transaction', () => {
  it('asks for the status of no key if it has claimed all', async () => {
    const { store, log } = storeOver(['a', 'b']);
    const words = await onceEach(store, ['a', 'b'], () => {});
    expect(words).toEqual(['handled', 'handled']);
    expect(log).toEqual(['PRAGMA', 'BEGIN', 'INSERT', 'SAVEPOINT', 'RELEASE', 'UPDATE', 'COMMIT']);
  });

  it('leaves keys in progress that expire between claim and status', async () => {
    const { store, log } = storeOver([]);
    const words: string[] = [await once(store, 'a', failing)];
    expect(words.concat(await onceEach(store, ['a', 'b'], failing))).toEqual(Array(3).fill('in-progress'));
    expect(log.slice(0, 5)).toEqual(['PRAGMA', 'BEGIN', 'INSERT', 'SELECT', 'ROLLBACK']);
  });

  it('is repeated after a busy commit', async () => {
    const { word, log } = committing(new Error('database is locked'));
    expect(await word).toBe('handled');
    expect(log.filter((each) => each === 'COMMIT')).toHaveLength(2);
  });

  it('rejects after any other failed commit', async () => {
    const { word, log } = committing(new Error('disk full'));
    await expect(word).rejects.toThrow('disk full');
    expect(log.slice(-2)).toEqual(['COMMIT', 'ROLLBACK']);
  });
});
