import pg from 'pg';
import { fromPg } from '../../../../src/stores/sql/index.js';
import type { ClientSettings, Row, SqlClient } from '../client.js';

/** A Pool of pg with the settings. */
export function openPg(url: string, { max = 10, session = {} }: ClientSettings = {}, more: pg.PoolConfig = {}) {
  const options = Object.entries(session).map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`);
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: max > 2 ? 5000 : 1000,
    ...(options.length > 0 && { options: options.join(' ') }),
    ...more,
  });
  pool.on('error', () => {});
  return pool;
}

export const pgClient: SqlClient = {
  isClosed: true,
  title: 'fromPg',
  dialect: 'postgres',
  open(url, settings) {
    const pool = openPg(url, settings);
    return {
      db: fromPg(pool),
      runIn: (tx: pg.PoolClient, text) => tx.query(text),
      run: async (text) => (await pool.query<Row>(text)).rows,
      close: () => pool.end(),
    };
  },
};
