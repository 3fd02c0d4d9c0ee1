import { Redis } from 'ioredis';
import Database from 'libsql';
import type { IdempotencyStore } from '../../../src/index.js';
import { postgresStore } from '../../../src/stores/postgres.js';
import { redisStore } from '../../../src/stores/redis.js';
import { sqliteStore } from '../../../src/stores/sqlite.js';
import { pool } from './handler.js';
import { pass, settings } from './steps.js';

const { leaseMs, run } = settings;
const timeoutMs = 1000;

/** The store in whose transaction the handler runs. */
export function transactionalStore() {
  return watched(postgresStore({ pool, table: `keys_${run}`, leaseMs, timeoutMs, transactional: true }));
}

/** A store that holds its keys by leases. */
export function leaseStore(): IdempotencyStore {
  if (settings.store === 'postgres') return watched(postgresStore({ pool, table: `keys_${run}`, leaseMs, timeoutMs }));
  if (settings.store === 'sqlite') {
    return watched(sqliteStore({ database: new Database(settings.sqliteFile), leaseMs, timeoutMs }));
  }
  const client = new Redis(settings.redisUrl, { retryStrategy: () => 50, maxRetriesPerRequest: 1 });
  client.on('error', (error) => console.error('redis:', error.message));
  return watched(redisStore({ client, prefix: `${run}:`, leaseMs, timeoutMs }));
}

/** A store that can be died behind, when the key is recorded and nobody has been told. */
function watched<Tx>(store: IdempotencyStore<Tx>): IdempotencyStore<Tx> {
  return {
    leaseMs: store.leaseMs,
    async once(key, run) {
      const status = await store.once(key, run);
      if (status === 'handled') {
        process.send?.({ recorded: key, at: Date.now() });
        pass('after-record');
      }
      return status;
    },
  };
}
