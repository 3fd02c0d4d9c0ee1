// The contract of stores against servers that somebody else started, such as service containers:
// `REDIS_URL=… DATABASE_URL=… npx tsx --tsconfig examples/tsconfig.json --test test/services/contract.ts`
import { after, before, describe, test } from 'node:test';
import { redisStore } from 'event-webhook-receiver/stores/redis';
import { fromPg, sqlStore } from 'event-webhook-receiver/stores/sql';
import { storeContract } from 'event-webhooks/store-contract';
import { Redis } from 'ioredis';
import { Pool } from 'pg';

const { REDIS_URL, DATABASE_URL } = process.env;
if (REDIS_URL === undefined || DATABASE_URL === undefined) throw new Error('Set REDIS_URL and DATABASE_URL.');

describe('redisStore', () => {
  const client = new Redis(REDIS_URL, { socketTimeout: 3000 });
  after(() => client.quit());
  storeContract((settings) => redisStore({ client, ...settings }), { test });
});

describe('sqlStore', () => {
  const pool = new Pool({ connectionString: DATABASE_URL, connectionTimeoutMillis: 5000 });
  const db = fromPg(pool);
  before(async () => {
    await sqlStore({ db }).migrate();
    await pool.query('CREATE TABLE IF NOT EXISTS contract_effects (id text)');
  });
  after(() => pool.end());
  storeContract((settings) => sqlStore({ db, transactional: true, ...settings }), {
    test,
    effects: {
      write: (tx, id) => tx.query('INSERT INTO contract_effects VALUES ($1)', [id]),
      async count(id) {
        return (await pool.query('SELECT id FROM contract_effects WHERE id = $1', [id])).rows.length;
      },
    },
  });
});
