import { fromMysql2, sqlStore } from 'event-webhook-receiver/stores/sql';
import mysql from 'mysql2/promise';
import { deliveryBenchmark, readByHand } from '../lib/deliveries.mjs';
import { noMariadb, withMariadb } from '../lib/servers.mjs';

const EFFECT = 'INSERT INTO effects (event_id, name) VALUES ?';
const INSERT = 'INSERT IGNORE INTO bare (`key`, owner, state, expires_at) VALUES ?';
const OWNED = 'SELECT `key` FROM bare WHERE `key` IN (?) AND owner = ?';
const RETENTION_MS = 7 * 86_400_000;

const write = (connection, events) => connection.query(EFFECT, [events.map(({ id, event }) => [id, event])]);

// By hand: what somebody would write who knows the driver, on the same pool and a table of the same form.
const byHand = (pool) => async (delivery) => {
  const events = readByHand(delivery);
  const owner = crypto.randomUUID();
  const expires = Date.now() + RETENTION_MS;
  const connection = await pool.getConnection();
  await connection.beginTransaction();
  const ids = events.map(({ id }) => id);
  const [{ affectedRows }] = await connection.query(INSERT, [ids.map((id) => [id, owner, 'done', expires])]);
  let fresh = events;
  if (affectedRows < events.length) {
    const [rows] = await connection.query(OWNED, [ids, owner]);
    const owned = new Set(rows.map(({ key }) => key));
    fresh = events.filter(({ id }) => owned.has(id));
  }
  await write(connection, fresh);
  await connection.commit();
  connection.release();
  return fresh.length === events.length;
};

const withStore = (work) =>
  withMariadb(async (url) => {
    const pool = mysql.createPool({ uri: url, connectionLimit: 10 });
    const store = sqlStore({ db: fromMysql2(pool), transactional: true });
    await store.migrate();
    await pool.query('CREATE TABLE bare LIKE webhook_idempotency_keys');
    await pool.query('CREATE TABLE effects (event_id VARCHAR(64) PRIMARY KEY, name TEXT NOT NULL)');
    const rows = await work({
      onEvents: {
        store,
        onEvents: (entries, { tx }) =>
          write(
            tx,
            entries.map(({ event }) => event),
          ),
      },
      byHand: byHand(pool),
    });
    await pool.end();
    return rows;
  });

export const benchmarks = [
  deliveryBenchmark({
    name: 'sqlStore, MariaDB, transactional',
    against: 'BEGIN, bulk INSERTs, COMMIT',
    skipped: noMariadb,
    targets: { 1: 1.5, 10: 1.3, 100: 1.3 },
    withStore,
  }),
];
