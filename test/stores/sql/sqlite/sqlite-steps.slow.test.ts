import { describe, expect, it } from 'vitest';
import { type SynchronousDatabase, sqlStore } from '../../../../src/stores/sql/index.js';
import type { StoreWord } from '../../../../src/stores/store.js';
import { failing } from '../../../contracts/store-helpers.js';

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

/** A store with a COMMIT that fails once, and a receiver that says only `wrapped`. */
function committing(error: Error) {
  const errors = [error];
  const { store, log } = storeOver(['a'], (statement) => statement === 'COMMIT' && errors.shift());
  const word = store.once('a', async (_, options) => {
    try {
      options?.onReturn?.();
    } catch {
      throw new Error('wrapped');
    }
  });
  return { word, log };
}

describe('the steps of a synchronous transaction', () => {
  it('asks for the status of no key if it has claimed all', async () => {
    const { store, log } = storeOver(['a', 'b']);
    const words = await store.onceEach?.(['a', 'b'], async (_fresh, _tx, options) => options?.onReturn?.());
    expect(words).toEqual(['handled', 'handled']);
    expect(log).toEqual(['PRAGMA', 'BEGIN', 'INSERT', 'SAVEPOINT', 'RELEASE', 'UPDATE', 'COMMIT']);
  });

  it('leaves keys in progress that expire between claim and status', async () => {
    const { store, log } = storeOver([]);
    const words: (StoreWord | undefined)[] = [await store.once('a', failing)];
    expect(words.concat(await store.onceEach?.(['a', 'b'], failing))).toEqual(Array(3).fill('in-progress'));
    expect(log.slice(0, 5)).toEqual(['PRAGMA', 'BEGIN', 'INSERT', 'SELECT', 'ROLLBACK']);
  });

  it('is repeated after a busy commit, whatever the run makes of that', async () => {
    const { word, log } = committing(new Error('database is locked'));
    expect(await word).toBe('handled');
    expect(log.filter((each) => each === 'COMMIT')).toHaveLength(2);
  });

  it('rejects as the run does after any other failed commit', async () => {
    const { word, log } = committing(new Error('disk full'));
    await expect(word).rejects.toThrow('wrapped');
    expect(log.slice(-2)).toEqual(['COMMIT', 'ROLLBACK']);
  });
});
