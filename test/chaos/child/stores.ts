import { createRequire } from 'node:module';
import type Database from 'libsql';
import type mysql from 'mysql2/promise';
import type pg from 'pg';
import type { ReconcileCursor } from '../../../src/chain/index.js';
import {
  type EventContext,
  type IdempotencyStore,
  type LeaseStore,
  memoryStore,
  type TransactionalStore,
} from '../../../src/index.js';
import { type DynamoDBLike, dynamodbStore, dynamodbTable } from '../../../src/stores/dynamodb/index.js';
import { redisStore } from '../../../src/stores/redis/index.js';
import {
  fromBetterSqlite3,
  fromMysql2,
  fromPg,
  type SqlDatabase,
  type SynchronousDatabase,
  sqlStore,
} from '../../../src/stores/sql/index.js';
import type { Via } from '../ledger.js';
import type { EffectRow } from './acts.js';
import { inOneTurn, insertion, inTransaction, onItsOwn } from './handler.js';
import { type Begin, beginOnMysql2, beginOnPg, setPool } from './places.js';
import { settings, waiting } from './steps.js';
import { watched } from './watched.js';

/** A store, and the handler that has its effect under it. */
export interface Work<Tx = undefined> {
  readonly store: IdempotencyStore<Tx>;
  handle(
    ids: readonly string[],
    context: Pick<EventContext<Tx>, 'tx' | 'throwIfExpired'>,
    via?: Via,
  ): Promise<void> | void;
  /** Where `reconcile` stores its progress. */
  readonly cursor?: ReconcileCursor;
}

/** A client, and how a handler runs a statement with it. */
export interface Client<Tx> {
  readonly db: SqlDatabase<Tx>;
  execute(tx: Tx, statement: string): Promise<unknown>;
  /** Opens a transaction without the store. */
  readonly begin: Begin;
  /** How a handler writes its effect. (Default: as a statement.) */
  insert?(tx: Tx, rows: readonly EffectRow[]): Promise<unknown>;
}

const { leaseMs, run, mode } = settings;
const timeoutMs = 1000;
const options = { table: `keys_${run}`, leaseMs, timeoutMs };

export async function openWork(): Promise<Work> {
  if (mode.store === 'sqlite') return openSqlite();
  if (!mode.transactional) return under(await openLeaseStore(), onItsOwn());
  // Loaded on demand: they take longer to load than everything else.
  if (mode.orm) return transactional(await (await import('./orms.js')).clients[mode.orm]());
  return mode.store === 'mariadb' ? transactional(await openMariadb()) : transactional(await openPostgres());
}

async function transactional<Tx>({
  db,
  begin,
  execute,
  insert = (tx, rows) => execute(tx, insertion(rows)),
}: Client<Tx>): Promise<Work> {
  const store = sqlStore({ ...options, db, transactional: true });
  await store.migrate();
  setPool(begin);
  return { ...under(store, inTransaction(insert, execute)), ...(mode.finality && { cursor: store.cursor('chain') }) };
}

function under<Tx>(store: IdempotencyStore<Tx>, handle: Work<Tx>['handle']): Work {
  // Nothing else gives the handler a transaction than its own store.
  return { store: watched(store as LeaseStore | TransactionalStore<never>), handle } as unknown as Work;
}

async function openLeaseStore(): Promise<IdempotencyStore> {
  if (mode.store === 'memory') return memoryStore({ leaseMs });
  if (mode.store === 'redis') return openRedis();
  if (mode.store === 'dynamodb') return openDynamoDB();
  const { db, begin } = await (mode.store === 'mariadb' ? openMariadb() : openPostgres());
  const store = sqlStore({ ...options, db });
  await store.migrate();
  setPool(begin);
  return store;
}

async function openPostgres(): Promise<Client<pg.PoolClient>> {
  const { Pool } = (await import('pg')).default;
  const pool = new Pool({
    connectionString: settings.postgresUrl,
    max: settings.poolSize,
    connectionTimeoutMillis: timeoutMs,
  });
  pool.on('error', (error) => console.error('pool:', error.message));
  waiting.push(() => pool.waitingCount);
  return { db: fromPg(pool), begin: beginOnPg(pool), execute: (tx, statement) => tx.query(statement) };
}

async function openMariadb(): Promise<Client<mysql.PoolConnection>> {
  const mysql = (await import('mysql2/promise')).default;
  const limits = { connectionLimit: settings.poolSize, connectTimeout: timeoutMs };
  const pool = mysql.createPool({ uri: settings.mariadbUrl, ...limits });
  return { db: fromMysql2(pool), begin: beginOnMysql2(pool), execute: (tx, statement) => tx.query(statement) };
}

async function openSqlite(): Promise<Work> {
  const { default: Database } = await import('libsql');
  const db: SynchronousDatabase<Database.Database> = fromBetterSqlite3(new Database(settings.sqliteFile));
  if (!mode.transactional) {
    const store = sqlStore({ ...options, db });
    await store.migrate();
    return under(store, onItsOwn());
  }
  const store = sqlStore({ ...options, db, transactional: true });
  await store.migrate();
  return under(
    store,
    inOneTurn<Database.Database>((tx, statement) => void tx.exec(statement)),
  );
}

async function openRedis(): Promise<IdempotencyStore> {
  const { Redis } = (await import('ioredis')).default;
  const client = new Redis(settings.redisUrl, {
    retryStrategy: () => 50,
    maxRetriesPerRequest: 1,
    socketTimeout: 0.6 * timeoutMs,
  });
  client.on('error', (error) => console.error('redis:', error.message));
  const lengthOf = (queue: string) => Number(Object(Reflect.get(client, queue)).length ?? 0);
  waiting.push(() => lengthOf('commandQueue') + lengthOf('offlineQueue'));
  return redisStore({ client, prefix: `${run}:`, leaseMs, timeoutMs });
}

async function openDynamoDB(): Promise<IdempotencyStore> {
  // Not imported: the main install has no types of this package.
  const { DynamoDB } = createRequire(`${settings.orms}../serverless/`)('@aws-sdk/client-dynamodb');
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDB({ region: 'local', credentials, endpoint: settings.dynamodbUrl, maxAttempts: 1 });
  const { table } = options;
  await client.createTable(dynamodbTable({ table }).table).catch((error: Error) => {
    if (error.name !== 'ResourceInUseException') throw error;
  });
  return dynamodbStore({ client: client as DynamoDBLike, table, leaseMs, timeoutMs, clockSkewMs: 0 });
}
