import type { PGlite, Transaction as PGliteTransaction } from '@electric-sql/pglite';
import type { Client as LibsqlClient, Transaction as LibsqlTransaction } from '@libsql/client';
import type BetterSqlite3 from 'better-sqlite3';
import type Libsql from 'libsql';
import type { Pool as CallbackPool } from 'mysql2';
import type { Pool as MysqlPool, PoolConnection } from 'mysql2/promise';
import type { Client, Pool, PoolClient } from 'pg';
import type { Sql, TransactionSql } from 'postgres';
import { describe, expectTypeOf, test } from 'vitest';
import { createReceiver } from '../../src/index.js';
import {
  fromBetterSqlite3,
  fromLibsql,
  fromMysql2,
  fromPGlite,
  fromPg,
  fromPostgresJs,
  type SqlDatabase,
  type SqlLeaseStore,
  type SqlStore,
  type Synchronous,
  sqlStore,
} from '../../src/stores/sql/index.js';

const secret = 'whsec-test';
declare const pool: Pool;
declare const client: Client;
declare const sql: Sql;
declare const typedSql: Sql<{ bigint: bigint }>;
declare const pglite: PGlite;
declare const mysqlPool: MysqlPool;
declare const callbackPool: CallbackPool;
declare const libsqlClient: LibsqlClient;
declare const better: BetterSqlite3.Database;
declare const libsql: Libsql.Database;

describe('sqlStore', () => {
  test('gives a handler the connection of mysql2', () => {
    const store = sqlStore({ db: fromMysql2(mysqlPool), transactional: true });
    expectTypeOf(store).toEqualTypeOf<SqlStore<PoolConnection>>();
    createReceiver({
      secret,
      store,
      onEvent: (event, { tx }) => tx.execute('INSERT INTO seen (id) VALUES (?)', [event.id]),
    });
    // A pool with callbacks gives handlers a connection with promises.
    expectTypeOf(fromMysql2(callbackPool)).toEqualTypeOf<SqlDatabase<PoolConnection>>();
  });

  test('gives a handler the transaction of libsql', () => {
    const store = sqlStore({ db: fromLibsql(libsqlClient), transactional: true });
    expectTypeOf(store).toEqualTypeOf<SqlStore<LibsqlTransaction>>();
    createReceiver({ secret, store, onEvent: (event, { tx }) => tx.execute({ sql: 'SELECT ?', args: [event.id] }) });
  });

  test('gives a synchronous handler the connection of better-sqlite3 or libsql', () => {
    const store = sqlStore({ db: fromBetterSqlite3(better), transactional: true });
    expectTypeOf(store).toEqualTypeOf<SqlStore<Synchronous<BetterSqlite3.Database>>>();
    createReceiver({
      secret,
      store,
      onEvent: (event, { tx }) => tx.prepare('INSERT INTO seen VALUES (?)').run(event.id),
    });
    // @ts-expect-error an async handler would end after its transaction
    createReceiver({ secret, store, onEvent: async (event, { tx }) => void tx.prepare('SELECT ?').get(event.id) });
    expectTypeOf(sqlStore({ db: fromBetterSqlite3(libsql), transactional: true })).toEqualTypeOf<
      SqlStore<Synchronous<Libsql.Database>>
    >();
  });

  test('gives a handler the connection of the pool', () => {
    const store = sqlStore({ db: fromPg(pool), transactional: true });
    expectTypeOf(store).toEqualTypeOf<SqlStore<PoolClient>>();
    createReceiver({
      secret,
      store,
      async onEvent(event, { tx }) {
        expectTypeOf(tx).toEqualTypeOf<PoolClient>();
        const { rows } = await tx.query<{ id: string }>('INSERT INTO seen (id) VALUES ($1) RETURNING id', [event.id]);
        expectTypeOf(rows).toEqualTypeOf<{ id: string }[]>();
      },
    });
  });

  test('gives a handler the sql of its transaction, with the types of the pool', () => {
    const store = sqlStore({ db: fromPostgresJs(sql), transactional: true });
    expectTypeOf(store).toEqualTypeOf<SqlStore<TransactionSql>>();
    expectTypeOf(sqlStore({ db: fromPostgresJs(typedSql), transactional: true })).toEqualTypeOf<
      SqlStore<TransactionSql<{ bigint: bigint }>>
    >();
    createReceiver({
      secret,
      store,
      async onEvent(event, { tx }) {
        await tx`INSERT INTO seen (id) VALUES (${event.id})`;
        await tx.savepoint((inner) => inner`SELECT 1`);
      },
    });
  });

  test('gives a handler the transaction of PGlite', () => {
    expectTypeOf(sqlStore({ db: fromPGlite(pglite), transactional: true })).toEqualTypeOf<
      SqlStore<PGliteTransaction>
    >();
  });

  test('gives no transaction when it is not transactional', () => {
    for (const store of [
      sqlStore({ db: fromPg(pool) }),
      sqlStore({ db: fromPostgresJs(sql), table: 'app.keys', leaseMs: 1000, retentionMs: 1000, timeoutMs: 1000 }),
      sqlStore({ db: fromPGlite(pglite), transactional: false }),
      sqlStore({ db: fromBetterSqlite3(better) }),
    ]) {
      expectTypeOf(store).toEqualTypeOf<SqlLeaseStore>();
      createReceiver({ secret, store, onEvent: (_, { tx }) => expectTypeOf(tx).toEqualTypeOf<undefined>() });
    }
  });

  test('takes no URL, no single connection, and no misspelt option', () => {
    // @ts-expect-error the store opens no connections
    fromPg('postgres://localhost/app');
    // @ts-expect-error a Client is not a Pool
    fromPg(client);
    // @ts-expect-error a database is required
    sqlStore({ transactional: true });
    // @ts-expect-error there is no such option
    sqlStore({ db: fromPg(pool), tabel: 'keys' });
  });
});
