import { fromPg, sqlStore } from 'event-webhook-receiver/stores/sql';
import pg from 'pg';
import { deliveryBenchmark, readByHand } from '../lib/deliveries.mjs';
import { noPostgres, withPostgres } from '../lib/servers.mjs';

const EFFECT = 'INSERT INTO effects (event_id, name) SELECT * FROM unnest($1::text[], $2::text[])';
const INSERT = `INSERT INTO bare (key, owner, state, expires_at) SELECT unnest($1::text[]), '', $2, now() + $3::interval
  ON CONFLICT DO NOTHING RETURNING key`;
const UPDATE = `UPDATE bare SET state = 'done', expires_at = now() + interval '7 days' WHERE key = ANY($1)`;

const write = (client, events) => client.query(EFFECT, [events.map(({ id }) => id), events.map(({ event }) => event)]);

/** Claims the ids of the events, and gives those events that were not claimed before. */
async function claim(client, events, state, lifetime) {
  const { rows } = await client.query(INSERT, [events.map(({ id }) => id), state, lifetime]);
  const fresh = new Set(rows.map(({ key }) => key));
  return events.filter(({ id }) => fresh.has(id));
}

// By hand: what somebody would write who knows the driver, on the same pool and a table of the same form.
const BY_HAND = {
  transactional: (pool) => async (delivery) => {
    const events = readByHand(delivery);
    const client = await pool.connect();
    await client.query('BEGIN');
    const fresh = await claim(client, events, 'done', '7 days');
    await write(client, fresh);
    await client.query('COMMIT');
    client.release();
    return fresh.length === events.length;
  },
  leases: (pool) => async (delivery) => {
    const events = readByHand(delivery);
    const fresh = await claim(pool, events, 'lease', '60 seconds');
    await write(pool, fresh);
    const { rowCount } = await pool.query(UPDATE, [fresh.map(({ id }) => id)]);
    return rowCount === events.length;
  },
};

const withStore = (kind) => (work) =>
  withPostgres(async (url) => {
    const pool = new pg.Pool({ connectionString: url, max: 10, connectionTimeoutMillis: 5000 });
    // The server may stop before the pool has closed its last connection.
    pool.on('error', () => {});
    const transactional = kind === 'transactional';
    const store = sqlStore({ db: fromPg(pool), transactional });
    await store.migrate();
    await pool.query('CREATE TABLE bare (LIKE webhook_idempotency_keys INCLUDING ALL)');
    await pool.query('CREATE TABLE effects (event_id text PRIMARY KEY, name text NOT NULL)');
    const rows = await work({
      onEvents: {
        store,
        onEvents: (entries, { tx = pool }) =>
          write(
            tx,
            entries.map(({ event }) => event),
          ),
      },
      byHand: BY_HAND[kind](pool),
    });
    await pool.end();
    return rows;
  });

export const benchmarks = [
  deliveryBenchmark({
    name: 'sqlStore, Postgres, transactional',
    against: 'BEGIN, bulk INSERTs, COMMIT',
    skipped: noPostgres,
    targets: { 1: 1.5, 10: 1.5, 100: 1.4 },
    withStore: withStore('transactional'),
  }),
  deliveryBenchmark({
    name: 'sqlStore, Postgres, leases',
    against: 'bulk INSERTs and UPDATE',
    skipped: noPostgres,
    targets: { 1: 1.3, 10: 1.3, 100: 1.3 },
    withStore: withStore('leases'),
  }),
];
