import { createClient, type Transaction } from '@libsql/client';
import Database from 'libsql';
import { describe } from 'vitest';
import {
  fromBetterSqlite3,
  fromLibsql,
  type SqlDatabase,
  type SynchronousDatabase,
} from '../../../../src/stores/sql/index.js';
import type { Row, SqlClient } from '../client.js';
import { describeKills } from '../suites/kills.js';
import { useFile } from './file.js';

/** Counts statements, and ends the connection instead of the last one and all that follow. */
function startCount() {
  let left = Number.POSITIVE_INFINITY;
  const count = (end: (() => void) | undefined) => {
    if (--left >= 0) return;
    end?.();
    throw new Error('The process was killed.');
  };
  const dieAt = (statement: number) => {
    left = statement - 1;
  };
  return { count, isDead: () => left < 0, dieAt };
}

/** No power is cut here. */
const QUICK = 'PRAGMA synchronous = OFF';

type Count = ReturnType<typeof startCount>['count'];

const clients: readonly ((count: Count) => SqlClient)[] = [
  (count) => ({
    title: 'fromBetterSqlite3',
    dialect: 'sqlite',
    open(url) {
      const connection = new Database(url.replace('file:', ''));
      connection.exec(QUICK);
      const db = fromBetterSqlite3(connection);
      const end = () => {
        if (connection.open && connection.inTransaction) connection.exec('ROLLBACK');
        connection.close();
      };
      const runNow: typeof db.runNow = (...statement) => {
        count(end);
        return db.runNow(...statement);
      };
      const counted: SynchronousDatabase<unknown> = { ...db, runNow };
      return {
        db: counted as never,
        runIn: (tx: typeof connection, text) => void tx.exec(text) as never,
        run: async (text) => db.runNow(text, []) as Row[],
        close: async () => end(),
      };
    },
  }),
  (count) => ({
    title: 'fromLibsql',
    dialect: 'sqlite',
    async open(url) {
      const client = createClient({ url });
      await client.execute(QUICK);
      const db = fromLibsql(client);
      const counted: SqlDatabase<Transaction> = {
        ...db,
        async run(...statement) {
          count(undefined);
          return db.run(...statement);
        },
        transaction: (work, options) =>
          db.transaction(
            (transaction) =>
              work({
                ...transaction,
                async run(...statement) {
                  count(transaction.destroy);
                  return transaction.run(...statement);
                },
              }),
            options,
          ),
      };
      return {
        db: counted,
        runIn: (tx: Transaction, text) => tx.execute(text),
        run: async (text) => (await client.execute(text)).rows as unknown as Row[],
        close: async () => client.close(),
      };
    },
  }),
];

describe('SQLite', () => {
  for (const clientOf of clients) {
    const file = useFile();
    const client = clientOf(() => {});
    const openDoomed = async () => {
      const { count, ...doom } = startCount();
      return { opened: await file.open(clientOf(count)), ...doom };
    };
    describeKills(client, () => file.open(client), openDoomed);
  }
});
