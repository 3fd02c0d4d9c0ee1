import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromBetterSqlite3, sqlStore } from 'event-webhook-receiver/stores/sql';
import Database from 'libsql';
import { deliveryBenchmark, readByHand } from '../lib/deliveries.mjs';

const RETENTION_MS = 7 * 86_400_000;
const listOf = (count, row) => Array.from({ length: count }, () => row).join();

/** Prepares each statement once for each number of events. */
function preparer(db) {
  const prepared = new Map();
  return (text) => {
    const statement = prepared.get(text) ?? db.prepare(text);
    prepared.set(text, statement);
    return statement;
  };
}

async function withStore(work) {
  const folder = mkdtempSync(join(tmpdir(), 'sqlite-bench-'));
  const db = new Database(join(folder, 'app.db'));
  // Waits for the disk at every commit.
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  const store = sqlStore({ db: fromBetterSqlite3(db), transactional: true });
  await store.migrate();
  db.exec(`CREATE TABLE bare (key TEXT PRIMARY KEY, owner TEXT NOT NULL, state TEXT NOT NULL, expires_at INTEGER NOT NULL)
    WITHOUT ROWID;
    CREATE INDEX bare_expires_at ON bare (expires_at);
    CREATE TABLE effects (event_id TEXT PRIMARY KEY, name TEXT NOT NULL)`);
  const prepare = preparer(db);
  const write = (events) => {
    const values = events.flatMap(({ id, event }) => [id, event]);
    prepare(`INSERT INTO effects (event_id, name) VALUES ${listOf(events.length, '(?, ?)')}`).run(...values);
  };
  const claim = (ids) => {
    const text = `INSERT INTO bare (key, owner, state, expires_at) VALUES ${listOf(ids.length, "(?, '', 'done', ?)")}
      ON CONFLICT DO NOTHING RETURNING key`;
    const expires = Date.now() + RETENTION_MS;
    return prepare(text).all(...ids.flatMap((id) => [id, expires]));
  };
  try {
    return await work({
      onEvents: { store, onEvents: (entries) => write(entries.map(({ event }) => event)) },
      async byHand(delivery) {
        const events = readByHand(delivery);
        db.exec('BEGIN IMMEDIATE');
        const fresh = new Set(claim(events.map(({ id }) => id)).map(({ key }) => key));
        write(events.filter(({ id }) => fresh.has(id)));
        db.exec('COMMIT');
        return fresh.size === events.length;
      },
    });
  } finally {
    db.close();
    rmSync(folder, { recursive: true });
  }
}

export const benchmarks = [
  deliveryBenchmark({
    name: 'sqlStore, SQLite, transactional',
    against: 'BEGIN, bulk INSERTs, COMMIT',
    targets: { 1: 1.5, 10: 1.3, 100: 1.3 },
    withStore,
  }),
];
