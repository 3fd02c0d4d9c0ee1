import { createClient, type Transaction } from '@libsql/client';
import { fromLibsql } from '../../../../src/stores/sql/index.js';
import type { Row, SqlClient } from '../client.js';

/** @libsql/client with a file in a journal mode. */
const libsqlClient = (mode: 'wal' | 'delete'): SqlClient => ({
  title: `fromLibsql, ${mode}`,
  dialect: 'sqlite',
  refusesItself: true,
  async open(url) {
    const client = createClient({ url });
    await client.execute(`PRAGMA journal_mode = ${mode}`);
    return {
      db: fromLibsql(client),
      runIn: (tx: Transaction, text) => tx.execute(text),
      run: async (text) => (await client.execute(text)).rows as unknown as Row[],
      close: async () => client.close(),
    };
  },
});

export const libsqlClients: readonly SqlClient[] = [libsqlClient('wal'), libsqlClient('delete')];
