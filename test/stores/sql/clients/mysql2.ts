import { createPool, type PoolConnection, type PoolOptions, type RowDataPacket } from 'mysql2/promise';
import { fromMysql2 } from '../../../../src/stores/sql/index.js';
import type { ClientSettings, Row, SqlClient } from '../client.js';

/** A pool of mysql2 with the settings. */
export function openMysql2(url: string, { max = 10, session = {} }: ClientSettings = {}, more: PoolOptions = {}) {
  const pool = createPool({ uri: url, connectionLimit: max, connectTimeout: 2000, ...more });
  const settings = Object.entries(session).map(
    ([name, value]) => `${name} = ${/^\d+$/.test(value) ? value : `'${value}'`}`,
  );
  if (settings.length > 0) {
    // Sent before anything else that its connection is asked.
    pool.pool.on('connection', (connection) => connection.query(`SET SESSION ${settings.join(', ')}`));
  }
  return pool;
}

export const mysql2Client: SqlClient = {
  title: 'fromMysql2',
  dialect: 'mysql',
  begin: 'START TRANSACTION',
  open(url, settings) {
    const pool = openMysql2(url, settings);
    return {
      db: fromMysql2(pool),
      runIn: (tx: PoolConnection, text) => tx.query(text),
      run: async (text) => (await pool.query<(RowDataPacket & Row)[]>(text))[0],
      // An attempt to connect that is still under way rejects it.
      close: () => pool.end().catch(() => {}),
    };
  },
};
