import { Redis } from 'ioredis';
import Database from 'libsql';
import pg from 'pg';
import { type IdempotencyStore, memoryStore } from '../../../src/index.js';
import { postgresStore } from '../../../src/stores/postgres/index.js';
import { redisStore } from '../../../src/stores/redis/index.js';
import { sqliteStore } from '../../../src/stores/sqlite/index.js';
import { settings, waiting } from './steps.js';
import { watched } from './watched.js';

const { leaseMs, run } = settings;
const timeoutMs = 1000;

function openPool(): pg.Pool {
  const pool = new pg.Pool({ connectionString: settings.postgresUrl, max: 10 });
  pool.on('error', (error) => console.error('pool:', error.message));
  waiting.push(() => pool.waitingCount);
  return pool;
}

/** The store in whose transaction the handler runs. */
export function transactionalStore() {
  return watched(postgresStore({ pool: openPool(), table: `keys_${run}`, leaseMs, timeoutMs, transactional: true }));
}

/** A lease store. */
export function leaseStore(): IdempotencyStore {
  return watched(openLeaseStore());
}

function openLeaseStore(): IdempotencyStore {
  if (settings.store === 'memory') return memoryStore({ leaseMs });
  if (settings.store === 'postgres') {
    return postgresStore({ pool: openPool(), table: `keys_${run}`, leaseMs, timeoutMs });
  }
  if (settings.store === 'sqlite') {
    return sqliteStore({ database: new Database(settings.sqliteFile), leaseMs, timeoutMs });
  }
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
