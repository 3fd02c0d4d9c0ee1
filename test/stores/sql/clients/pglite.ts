import type { PGlite, Transaction } from '@electric-sql/pglite';
import { fromPGlite } from '../../../../src/stores/sql/index.js';
import { openClient, type Row, type SqlClient } from '../client.js';

/** PGlite has one session, so all stores of a test file share one. */
export function pgliteIn(db: PGlite): SqlClient {
  return {
    title: 'fromPGlite',
    dialect: 'postgres',
    isSerial: true,
    open: () => ({
      db: fromPGlite(db),
      runIn: (tx: Transaction, text) => tx.query(text),
      run: async (text) => (await db.query<Row>(text)).rows,
      close: async () => {},
    }),
  };
}

export const openPGlite = (db: PGlite) => openClient(pgliteIn(db), '');
