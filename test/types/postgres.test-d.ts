import type { Client, Pool, PoolClient } from 'pg';
import type { Sql, TransactionSql } from 'postgres';
import { describe, expectTypeOf, test } from 'vitest';
import { createReceiver } from '../../src/index.js';
import { type PostgresStore, postgresStore } from '../../src/stores/postgres/index.js';

const secret = 'whsec-test';
declare const pool: Pool;
declare const sql: Sql;
declare const typedSql: Sql<{ bigint: bigint }>;
declare const client: Client;

describe('postgresStore', () => {
  test('gives a handler the connection of its transaction: that of the pool', () => {
    const store = postgresStore({ pool, transactional: true });
    expectTypeOf(store).toEqualTypeOf<PostgresStore<PoolClient>>();
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
    const store = postgresStore({ pool: sql, transactional: true });
    expectTypeOf(store).toEqualTypeOf<PostgresStore<TransactionSql>>();
    expectTypeOf(postgresStore({ pool: typedSql, transactional: true })).toEqualTypeOf<
      PostgresStore<TransactionSql<{ bigint: bigint }>>
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

  test('gives no transaction when it is not transactional', () => {
    for (const store of [
      postgresStore({ pool }),
      postgresStore({ pool: sql, table: 'app.keys', leaseMs: 1000, retentionMs: 1000, timeoutMs: 1000 }),
      postgresStore({ pool: typedSql, transactional: false }),
    ]) {
      expectTypeOf(store).toEqualTypeOf<PostgresStore<undefined>>();
      createReceiver({ secret, store, onEvent: (_, { tx }) => expectTypeOf(tx).toEqualTypeOf<undefined>() });
    }
  });

  test('makes and clears its table', () => {
    const store = postgresStore({ pool });
    expectTypeOf(store.migrate).returns.toEqualTypeOf<Promise<void>>();
    expectTypeOf(store.sweep).returns.toEqualTypeOf<Promise<number>>();
  });

  test('takes no URL, no single connection of a transaction, and no misspelt option', () => {
    // @ts-expect-error the store opens no connections
    postgresStore({ pool: 'postgres://localhost/app' });
    // @ts-expect-error a Client is no Pool: what it connects to has no release
    postgresStore({ pool: client, transactional: true });
    // @ts-expect-error a pool is required
    postgresStore({ transactional: true });
    // @ts-expect-error there is no such option
    postgresStore({ pool, tabel: 'keys' });
  });
});
