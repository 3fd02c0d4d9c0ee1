import { vi } from 'vitest';
import { type SqlDatabase, sqlStore, type Transaction } from '../../../src/stores/sql/index.js';

/** What a database says to statements that contain a text; anything else has no rows. */
export type Answers = Readonly<Record<string, () => Promise<readonly object[]> | readonly object[]>>;

/** What the statement contains that records the keys as done. */
export const FINISH = 'DO $$';

/** What the check of a transaction contains. */
export const CHECK = 'SELECT txid_current_if_assigned';

/** The answers of a Postgres in which nobody has claimed the key `a`. */
const FREE: Answers = { INSERT: () => [{ key: 'a', owner: '7' }], [CHECK]: () => [{ id: '7' }] };
const COMMITTED: Answers = { 'SELECT key': () => [{ key: 'a' }] };

/** A database for one key, which notes what is done with it. */
export function fakeDatabase(
  answers: Answers = {},
  { keepsSession, ...members }: Partial<Transaction> & Pick<SqlDatabase, 'keepsSession'> = {},
  dialect: 'postgres' | 'sqlite' = 'postgres',
) {
  const log: string[] = [];
  const runAs = (where: string) => async (statement: string) => {
    log.push(`${where} ${/PRAGMA.*|\w+( \w+)?/.exec(statement)?.[0]}`);
    const found = Object.entries({ ...FREE, ...(log.includes('commit') && COMMITTED), ...answers }).find(([text]) =>
      statement.includes(text),
    );
    return { rows: (await found?.[1]()) ?? [] };
  };
  const db: SqlDatabase<string> = {
    dialect,
    keepsSession,
    run: runAs('beside:'),
    async transaction(work) {
      log.push('begin');
      try {
        await work({ tx: 'tx', run: runAs('in:'), ...members } as Transaction<string>);
        log.push('commit');
      } catch (error) {
        log.push('rollback');
        throw error;
      }
    },
  };
  return { db, log };
}

export const timeoutMs = 1000;

export const storeOver = (db: SqlDatabase<string>, settings: object = {}) =>
  sqlStore({ db, transactional: true, table: 'a.b', timeoutMs, ...settings });

/** What a promise came to after some time: a word, the message of an error, or `pending`. */
export async function resultAfter(ms: number, work: Promise<unknown>) {
  let result: unknown = 'pending';
  work.then(
    (word) => (result = word),
    (error: Error) => (result = error.message),
  );
  await vi.advanceTimersByTimeAsync(ms);
  return result;
}
