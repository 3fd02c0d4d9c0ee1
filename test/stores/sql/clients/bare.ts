import type { PoolConnection, RowDataPacket } from 'mysql2/promise';
import type pg from 'pg';
import type { SqlDatabase, Transaction } from '../../../../src/stores/sql/index.js';
import { nothing } from '../../../contracts/store-helpers.js';
import type { ClientSettings, Row, SqlClient } from '../client.js';
import { openMysql2 } from './mysql2.js';
import { openPg } from './pg.js';

/** A connection of a pool, and how it runs a statement. */
interface Connection<Tx> {
  readonly tx: Tx;
  run(text: string): Promise<readonly Row[]>;
  release(isBroken: boolean): void;
}

/** A database of which the store knows no more than it must: nothing closes connections or sees statements. */
function databaseOf<Tx>(
  dialect: 'postgres' | 'mysql',
  run: (text: string) => Promise<readonly Row[]>,
  connect: () => Promise<Connection<Tx>>,
): SqlDatabase<Tx> {
  return {
    dialect,
    run: async (text) => ({ rows: await run(text) }),
    async transaction(work) {
      const connection = await connect();
      let isBroken = false;
      try {
        await connection.run('BEGIN');
        const transaction: Transaction<Tx> = {
          tx: connection.tx,
          run: async (text) => ({ rows: await connection.run(text) }),
        };
        await work(transaction);
        await connection.run('COMMIT');
      } catch (error) {
        await connection.run('ROLLBACK').catch(() => {
          isBroken = true;
        });
        throw error;
      } finally {
        connection.release(isBroken);
      }
    },
  };
}

const barePg: SqlClient = {
  title: 'a bare client of pg',
  dialect: 'postgres',
  open(url: string, settings: ClientSettings) {
    const pool = openPg(url, settings, { connectionTimeoutMillis: 5000 });
    const run = async (text: string) => (await pool.query<Row>(text)).rows;
    return {
      db: databaseOf<pg.PoolClient>('postgres', run, async () => {
        const client = await pool.connect();
        // Without it, a connection that the server terminates ends the process.
        client.on('error', nothing);
        return {
          tx: client,
          run: async (text) => (await client.query<Row>(text)).rows,
          release(isBroken) {
            client.removeListener('error', nothing);
            client.release(isBroken);
          },
        };
      }),
      runIn: (tx: pg.PoolClient, text) => tx.query(text),
      run,
      close: () => pool.end(),
    };
  },
};

const bareMysql2: SqlClient = {
  title: 'a bare client of mysql2',
  dialect: 'mysql',
  open(url: string, settings: ClientSettings) {
    const pool = openMysql2(url, settings);
    const run = async (text: string) => (await pool.query<(RowDataPacket & Row)[]>(text))[0];
    return {
      db: databaseOf<PoolConnection>('mysql', run, async () => {
        const connection = await pool.getConnection();
        return {
          tx: connection,
          run: async (text) => (await connection.query<(RowDataPacket & Row)[]>(text))[0],
          release: (isBroken) => (isBroken ? connection.destroy() : connection.release()),
        };
      }),
      runIn: (tx: PoolConnection, text) => tx.query(text),
      run,
      close: () => pool.end().catch(nothing),
    };
  },
};

export const bareClients = { postgres: [barePg], mysql: [bareMysql2] } as const;
