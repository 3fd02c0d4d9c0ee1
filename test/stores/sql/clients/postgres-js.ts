import postgres, { type TransactionSql } from 'postgres';
import { fromPostgresJs } from '../../../../src/stores/sql/index.js';
import type { ClientSettings, Row, SqlClient } from '../client.js';

/** The sql of postgres.js with the settings. */
export function openPostgresJs(
  url: string,
  { max = 10, session = {}, isPooled = false }: ClientSettings = {},
  more: object = {},
) {
  return postgres(url, {
    max,
    connection: session,
    backoff: () => 0.02,
    onnotice: () => {},
    connect_timeout: 1,
    ...(isPooled && { prepare: false }),
    // A connection that ends while postgres.js asks for its types would end the process.
    fetch_types: false,
    ...more,
  });
}

export const postgresJsClient: SqlClient = {
  title: 'fromPostgresJs',
  hasOwnSavepoints: true,
  crashes: true,
  dialect: 'postgres',
  open(url, settings) {
    const sql = openPostgresJs(url, settings);
    return {
      db: fromPostgresJs(sql),
      runIn: async (tx: TransactionSql, text) => tx.unsafe(text),
      run: (text) => sql.unsafe<Row[]>(text),
      close: () => sql.end({ timeout: 1 }),
    };
  },
};
