import type { Client, Transaction } from '@libsql/client';
import type BetterSqlite3 from 'better-sqlite3';
import type Libsql from 'libsql';
import type { Pool as CallbackPool } from 'mysql2';
import type { Connection, Pool, PoolConnection } from 'mysql2/promise';
import { describe, expectTypeOf, test } from 'vitest';
import { createReceiver } from '../../src/index.js';
import {
  fromBetterSqlite3,
  fromLibsql,
  fromMysql2,
  type SqlStore,
  type Synchronous,
  sqlStore,
} from '../../src/stores/sql/index.js';

const secret = 'whsec-test';
declare const pool: Pool;
declare const callbackPool: CallbackPool;
declare const connection: Connection;
declare const client: Client;
declare const better: BetterSqlite3.Database;
declare const libsql: Libsql.Database;

describe('sqlStore over drivers of MySQL and SQLite', () => {
  test('gives a handler the connection of mysql2', () => {
    const store = sqlStore({ db: fromMysql2(pool), transactional: true });
    expectTypeOf(store).toEqualTypeOf<SqlStore<PoolConnection>>();
    createReceiver({
      secret,
      store,
      onEvent: (event, { tx }) => tx.execute('INSERT INTO seen (id) VALUES (?)', [event.id]),
    });
    // @ts-expect-error one connection is not a pool
    fromMysql2(connection);
    // @ts-expect-error a pool with callbacks: pool.promise() is what to pass
    fromMysql2(callbackPool);
  });

  test('gives a handler the transaction of libsql', () => {
    const store = sqlStore({ db: fromLibsql(client), transactional: true });
    expectTypeOf(store).toEqualTypeOf<SqlStore<Transaction>>();
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

  test('gives no transaction when it is not transactional', () => {
    for (const store of [sqlStore({ db: fromMysql2(pool) }), sqlStore({ db: fromBetterSqlite3(better) })]) {
      expectTypeOf(store).toEqualTypeOf<SqlStore<undefined>>();
    }
  });
});
