import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type SqliteStoreOptions, sqliteStore } from '../../../src/stores/sqlite/index.js';
import { describeStore } from '../../contracts/store.js';
import { failing, nothing, unique } from '../../contracts/store-helpers.js';
import { deferred } from '../../helpers.js';

const directory = mkdtempSync(join(tmpdir(), 'sqlite-'));
const file = join(directory, 'keys.db');
let time = Date.now();

afterAll(() => rmSync(directory, { recursive: true }));

function connect(path = file) {
  const database = new Database(path);
  onTestFinished(() => void database.close());
  return database;
}

const open = (options: Partial<SqliteStoreOptions> = {}) =>
  sqliteStore({ database: connect(), now: () => time, ...options });

describeStore('sqliteStore', { meanwhile: 'in-progress', shared: true, leases: true, onceEach: false }, () => ({
  open: async (settings) => open(settings),
  passTime: async (ms) => {
    time += ms;
  },
}));

describe('sqliteStore', () => {
  it.each(['', 'a b', 'a"b', 'a;b', 'ä', '1a', 'a.b', 'x'.repeat(64)])('refuses the table name %j', (table) => {
    expect(() => open({ table })).toThrow(expect.objectContaining({ code: 'ERR_WEBHOOK_CONFIG' }));
  });

  it.each([undefined, null, 'file.db', {}, { exec() {} }])('refuses %j as the database', (database) => {
    const options = { database } as unknown as SqliteStoreOptions;
    expect(() => sqliteStore(options)).toThrow(
      expect.objectContaining({
        code: 'ERR_WEBHOOK_CONFIG',
        message: expect.stringMatching(/^`database` must be an open connection of node:sqlite, .*, got \w/),
      }),
    );
  });

  it('refuses a connection in place of its options, and unknown options', () => {
    const create = (options: unknown) => () => Reflect.apply(sqliteStore, undefined, [options]);
    expect(create(connect())).toThrow('`sqliteStore` takes an options object: call sqliteStore({ database, … }).');
    expect(create({ database: connect(), tabel: 'keys' })).toThrow(/no option `tabel`. Did you mean `table`/);
  });

  it.each(['leaseMs', 'retentionMs', 'timeoutMs'])('refuses %s of 0', (name) => {
    expect(() => open({ [name]: 0 })).toThrow(expect.objectContaining({ code: 'ERR_WEBHOOK_CONFIG' }));
  });

  it('keeps tables apart', async () => {
    const key = unique();
    expect(await open({ table: 'first' }).once(key, nothing)).toBe('handled');
    expect(await open({ table: 'second' }).once(key, nothing)).toBe('handled');
    expect(await open({ table: 'first' }).once(key, failing)).toBe('duplicate');
  });

  it('keeps all keys when the file is reopened', async () => {
    const key = unique();
    const database = new Database(file);
    await sqliteStore({ database }).once(key, nothing);
    database.close();
    expect(await open().once(key, failing)).toBe('duplicate');
  });

  it('deletes expired keys periodically', async () => {
    const database = connect(join(directory, 'sweep.db'));
    // Thousands of commits that need no durability.
    database.exec('PRAGMA synchronous = OFF');
    const store = open({ database, retentionMs: 1000 });
    const count = () => database.prepare('SELECT count(*) AS n FROM webhook_idempotency_keys').get() as { n: number };
    for (let index = 0; index < 600; index++) await store.once(`old-${index}`, nothing);
    time += 2000;
    for (let index = 0; index < 600; index++) await store.once(`new-${index}`, nothing);
    expect(count().n).toBeLessThanOrEqual(1200 - 600 + 1);
    expect(count().n).toBeGreaterThanOrEqual(600);
  });

  it('waits, without blocking the process, while another connection writes', async () => {
    const store = open();
    const other = connect();
    await store.once(unique(), nothing);
    other.exec('BEGIN IMMEDIATE');
    const waiting = store.once(unique(), nothing);
    await new Promise((resolve) => setTimeout(resolve, 30));
    other.exec('COMMIT');
    expect(await waiting).toBe('handled');
  });

  it('does not block the process while the file is locked, whatever the busy timeout of the connection', async () => {
    const [database, other] = [connect(), connect()];
    database.exec('PRAGMA busy_timeout = 5000');
    await open({ database: other }).once(unique(), nothing);
    other.exec('BEGIN IMMEDIATE');
    const started = Date.now();
    const waiting = open({ database, timeoutMs: 30_000, now: Date.now }).once(unique(), nothing);
    expect(Date.now() - started).toBeLessThan(2000);
    other.exec('COMMIT');
    expect(await waiting).toBe('handled');
  });

  it('fails without a run if the file stays locked beyond timeoutMs', async () => {
    const store = open({ timeoutMs: 50 });
    const other = connect();
    await store.once(unique(), nothing);
    const key = unique();
    other.exec('BEGIN IMMEDIATE');
    let runs = 0;
    await expect(store.once(key, async () => void runs++)).rejects.toThrow();
    other.exec('COMMIT');
    expect(runs).toBe(0);
    expect(await store.once(key, nothing)).toBe('handled');
  });

  it.each([
    ['set back', -3_600_000],
    ['set forward', 3_600_000],
  ])('waits for a locked file as long as timeoutMs, also when the clock is %s meanwhile', async (_, step) => {
    const store = open({ timeoutMs: 200 });
    const other = connect();
    await store.once(unique(), nothing);
    other.exec('BEGIN IMMEDIATE');
    const realNow = Date.now;
    const start = performance.now();
    const waiting = store.once(unique(), nothing).then(String, (error) => error.code);
    vi.spyOn(Date, 'now').mockImplementation(() => realNow() + step);
    onTestFinished(() => void vi.restoreAllMocks());
    // The 'SQLITE_BUSY' of the last try or the deadline of the claim, whichever comes first.
    expect(await waiting).toBeOneOf(['SQLITE_BUSY', 'ERR_WEBHOOK_STORE']);
    expect(performance.now() - start).toBeGreaterThan(190);
    expect(performance.now() - start).toBeLessThan(2000);
    // The abandoned claim and its release have given up, and do not retry for an hour.
    await new Promise((resolve) => setTimeout(resolve, 800));
    const calls = vi.spyOn(Database.prototype, 'exec');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(calls).not.toHaveBeenCalled();
    other.exec('COMMIT');
  });

  it('never writes into a transaction that is open on its own connection', async () => {
    const database = connect();
    const store = open({ database });
    const key = unique();
    const inside = deferred();
    const first = store.once(key, async () => {
      database.exec('BEGIN');
      await inside.promise;
      database.exec('ROLLBACK');
    });
    const second = store.once(unique(), nothing);
    await new Promise((resolve) => setTimeout(resolve, 20));
    inside.resolve();
    expect(await Promise.all([first, second])).toEqual(['handled', 'handled']);
    expect(await open().once(key, failing)).toBe('duplicate');
  });

  it('rethrows an error of the database, without a run', async () => {
    const database = connect(join(directory, 'broken.db'));
    const store = open({ database });
    await store.once('a', nothing);
    database.exec('DROP TABLE webhook_idempotency_keys');
    await expect(store.once('b', failing)).rejects.toThrow(/no such table/);
  });
});
