import { describe, expect, it } from 'vitest';
import { begin, runsOf } from '../../../../src/stores/sql/busy.js';
import type { SynchronousDatabase } from '../../../../src/stores/sql/index.js';

/** A connection that notes its statements. `fails` throws for some. */
function connection(busyTimeoutMs: number, fails: (statement: string) => unknown = () => undefined) {
  const log: string[] = [];
  let state: 'free' | 'in a transaction' | 'closed' = 'free';
  const db: SynchronousDatabase<unknown> = {
    dialect: 'sqlite',
    connection: undefined,
    state: () => state,
    runNow(statement, values) {
      log.push(statement);
      const error = fails(statement);
      if (error) throw error;
      if (statement.startsWith('BEGIN')) state = 'in a transaction';
      if (['COMMIT', 'ROLLBACK'].includes(statement)) state = 'free';
      return statement === 'PRAGMA busy_timeout' && values?.length === 0 ? [{ timeout: busyTimeoutMs }] : [];
    },
  };
  return { db, log, set: (value: typeof state) => (state = value) };
}

const SET = ['PRAGMA busy_timeout', 'PRAGMA busy_timeout = 0', 'BEGIN IMMEDIATE'];
const RESTORE = 'PRAGMA busy_timeout = 700';

describe('a transaction of a synchronous driver', () => {
  it('waits for no lock, and restores the busy timeout', async () => {
    const { db, log } = connection(700);
    expect(await runsOf(db, 1000)('SELECT 1')).toEqual({ rows: [] });
    expect(log).toEqual([...SET, 'SELECT 1', 'COMMIT', RESTORE]);
  });

  it('sets no busy timeout where there is none', () => {
    const { db, log } = connection(0);
    begin(db)();
    expect(log).toEqual(['PRAGMA busy_timeout', 'BEGIN IMMEDIATE', 'ROLLBACK']);
  });

  it.each(['SELECT 1', 'BEGIN IMMEDIATE', 'COMMIT'])('leaves nothing open if %s fails', async (text) => {
    const { db, log } = connection(700, (statement) => statement === text && new Error('disk full'));
    await expect(runsOf(db, 1000)('SELECT 1')).rejects.toThrow('disk full');
    expect(db.state()).toBe('free');
    expect(log.at(-1)).toBe(RESTORE);
  });

  it('sends nothing to a connection that the handler has closed', () => {
    const { db, log, set } = connection(700);
    const end = begin(db);
    set('closed');
    end();
    expect(log).toEqual(SET);
  });

  it('is refused on a closed connection, and in the transaction of others', () => {
    const { db, log, set } = connection(700);
    set('closed');
    expect(() => begin(db)).toThrow('The database is closed.');
    set('in a transaction');
    expect(() => begin(db)).toThrow(
      'Other code has a transaction open on the connection. Give the store its own connection, or end transactions in the turn in which they begin.',
    );
    expect(log).toEqual([]);
  });
});
