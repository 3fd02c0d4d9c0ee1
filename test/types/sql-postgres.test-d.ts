import type { PGlite, Transaction } from '@electric-sql/pglite';
import type { Client, Pool, PoolClient } from 'pg';
import type { Sql, TransactionSql } from 'postgres';
import postgres from 'postgres';
import { describe, expectTypeOf, test } from 'vitest';
import { createReceiver } from '../../src/index.js';
import { postgresJsSocket } from '../../src/stores/sql/from/postgres-js-socket.js';
import { fromPGlite, fromPg, fromPostgresJs, type SqlStore, sqlStore } from '../../src/stores/sql/index.js';

const secret = 'whsec-test';
declare const pool: Pool;
declare const sql: Sql;
declare const typedSql: Sql<{ bigint: bigint }>;
declare const pglite: PGlite;
declare const client: Client;

describe('sqlStore over the drivers of Postgres', () => {
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
    expectTypeOf(postgres('', { max: 1, ...postgresJsSocket({ timeoutMs: 1000 }) })).toExtend<Sql>();
  });

  test('gives a handler the transaction of PGlite', () => {
    expectTypeOf(sqlStore({ db: fromPGlite(pglite), transactional: true })).toEqualTypeOf<SqlStore<Transaction>>();
  });

  test('gives no transaction when it is not transactional', () => {
    for (const store of [
      sqlStore({ db: fromPg(pool) }),
      sqlStore({ db: fromPostgresJs(sql), table: 'app.keys', leaseMs: 1000, retentionMs: 1000, timeoutMs: 1000 }),
      sqlStore({ db: fromPGlite(pglite), transactional: false }),
    ]) {
      expectTypeOf(store).toEqualTypeOf<SqlStore>();
      createReceiver({ secret, store, onEvent: (_, { tx }) => expectTypeOf(tx).toEqualTypeOf<undefined>() });
    }
  });

  test('takes no URL, no single connection, and no misspelt option', () => {
    // @ts-expect-error the store opens no connections
    fromPg('postgres://localhost/app');
    // @ts-expect-error a Client is not a Pool
    fromPg(client);
    // @ts-expect-error a pool is not an sql
    fromPostgresJs(pool);
    // @ts-expect-error a database is required
    sqlStore({ transactional: true });
    // @ts-expect-error there is no such option
    sqlStore({ db: fromPg(pool), tabel: 'keys' });
  });
});
