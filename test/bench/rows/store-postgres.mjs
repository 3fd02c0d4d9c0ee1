import { postgresStore } from 'event-webhook-receiver/stores/postgres';
import pg from 'pg';
import postgres from 'postgres';
import { compareSpeed } from '../lib/compare.mjs';
import { noPostgres, withPostgres } from '../lib/servers.mjs';

const LEASE = "interval '60 seconds'";
const RETENTION = "interval '7 days'";

// The bare statements are written as somebody would who knows the driver, on the same pool and a table of the same form.
const DRIVERS = {
  pg: (url) => {
    const pool = new pg.Pool({ connectionString: url, max: 10 });
    // The server may stop before the pool has closed its last connection.
    pool.on('error', () => {});
    const insert = (retained) =>
      `INSERT INTO bare (key, owner, done, expires_at) VALUES ($1, $2, ${retained ? 'true' : 'false'},
         now() + ${retained ? RETENTION : LEASE}) ON CONFLICT DO NOTHING`;
    return {
      pool,
      run: (text) => pool.query(text),
      async lease(key) {
        const { rowCount } = await pool.query(insert(false), [key, 'owner']);
        const update = `UPDATE bare SET done = true, expires_at = now() + ${RETENTION} WHERE key = $1 AND owner = $2`;
        return rowCount === 1 && (await pool.query(update, [key, 'owner'])).rowCount === 1;
      },
      async transactional(key) {
        const client = await pool.connect();
        await client.query('BEGIN');
        const { rowCount } = await client.query(insert(true), [key, '']);
        await client.query('COMMIT');
        client.release();
        return rowCount === 1;
      },
      close: () => pool.end(),
    };
  },
  'postgres.js': (url) => {
    const sql = postgres(url, { max: 10, onnotice: () => {} });
    return {
      pool: sql,
      run: (text) => sql.unsafe(text),
      async lease(key) {
        const inserted = await sql`INSERT INTO bare (key, owner, done, expires_at)
          VALUES (${key}, 'owner', false, now() + interval '60 seconds') ON CONFLICT DO NOTHING`;
        const updated = await sql`UPDATE bare SET done = true, expires_at = now() + interval '7 days'
          WHERE key = ${key} AND owner = 'owner'`;
        return inserted.count === 1 && updated.count === 1;
      },
      async transactional(key) {
        const { count } = await sql.begin(
          (tx) => tx`INSERT INTO bare (key, owner, done, expires_at)
            VALUES (${key}, '', true, now() + interval '7 days') ON CONFLICT DO NOTHING`,
        );
        return count === 1;
      },
      close: () => sql.end(),
    };
  },
};

const FLOORS = { lease: 'INSERT + UPDATE', transactional: 'BEGIN, INSERT, COMMIT' };
const empty = async () => {};

/** So many at once, each with a key that was never used before; true when all did what they are for. */
function atOnce(count, each) {
  return async () => {
    const done = await Promise.all(Array.from({ length: count }, () => each(crypto.randomUUID())));
    return done.every(Boolean);
  };
}

function benchmark(driver, kind, [label, count]) {
  const name = `postgresStore.once, ${kind}, ${driver}, ${label}`;
  return {
    name,
    skipped: noPostgres,
    async run({ quick }) {
      return withPostgres(async (url) => {
        const { pool, run, close, [kind]: floor } = DRIVERS[driver](url);
        const store = postgresStore({ pool, transactional: kind === 'transactional' });
        await store.migrate();
        await run('CREATE TABLE bare (LIKE webhook_idempotency_keys INCLUDING ALL)');
        const ours = atOnce(count, async (key) => (await store.once(key, empty)) === 'handled');
        const result = await compareSpeed(ours, atOnce(count, floor), quick ? 9 : 41);
        await close();
        return [{ name, against: FLOORS[kind], measure: 'speed ×', target: { min: 0.7 }, ...result }];
      });
    },
  };
}

export const benchmarks = Object.keys(DRIVERS).flatMap((driver) =>
  Object.keys(FLOORS).flatMap((kind) =>
    Object.entries({ alone: 1, '32 at a time': 32 }).map((load) => benchmark(driver, kind, load)),
  ),
);
