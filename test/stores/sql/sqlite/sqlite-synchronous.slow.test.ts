import Database from 'libsql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fromBetterSqlite3, sqlStore } from '../../../../src/stores/sql/index.js';
import { describeLetters, type LettersGround } from '../../../contracts/letters.js';
import { describeLogs } from '../../../contracts/logs.js';
import { describeRecords } from '../../../contracts/records.js';
import { describeStore } from '../../../contracts/store.js';
import { unique } from '../../../contracts/store-helpers.js';
import { once, onceEach } from '../../calls.js';
import { ERR_UNKNOWN } from '../client.js';
import { endLeases } from '../suites/letters.js';
import { useDirectory } from './file.js';

const path = useDirectory();
const nothing = () => {};
const failing = () => {
  throw new Error('the run failed');
};

/** A connection of libsql that refuses what better-sqlite3 refuses: numbered parameters, and `all` without rows. */
function connect(name = 'keys.db') {
  const db = new Database(path(name));
  const prepare = db.prepare.bind(db);
  db.prepare = ((text: string) => {
    expect(text).not.toMatch(/\?\d/);
    const statement = prepare(text);
    const all = statement.all.bind(statement);
    statement.all = (...values: unknown[]) => {
      expect(statement.reader).toBe(true);
      return all(...values);
    };
    return statement;
  }) as never;
  onTestFinished(() => {
    if (db.open) db.close();
  });
  return db;
}

type Connection = ReturnType<typeof connect>;

async function open(db: Connection = connect(), settings: object = {}) {
  const store = sqlStore({ db: fromBetterSqlite3(db), transactional: true, ...settings });
  await store.migrate();
  db.exec('CREATE TABLE IF NOT EXISTS effects (id TEXT)');
  const write = (id: string) => () => void db.prepare('INSERT INTO effects VALUES (?)').run(id);
  const count = (id: string) => db.prepare('SELECT id FROM effects WHERE id = ?').all(id).length;
  return { db, store, write, count };
}

describeStore(
  'fromBetterSqlite3, lease',
  { shared: true, leases: true },
  {
    async open(settings) {
      const store = sqlStore({ db: fromBetterSqlite3(connect()), ...settings });
      await store.migrate();
      return store;
    },
  },
);

const leased = async (): Promise<LettersGround> => {
  const { db } = await open();
  const expire = () => endLeases(async (text) => db.exec(text), 'sqlite');
  return { store: sqlStore({ db: fromBetterSqlite3(db) }), expire };
};
const transactional = async (): Promise<LettersGround> => {
  const { db, store } = await open();
  return {
    store: store as never,
    expire: async () => {},
    leaveOpen: async (key) => void (await once(store, key, () => void db.exec('COMMIT')).catch(nothing)),
  };
};
for (const [mode, make] of Object.entries({ leased, transactional })) {
  describe(`dead letters of fromBetterSqlite3, ${mode}`, () => describeLetters(make));
  describe(`records of fromBetterSqlite3, ${mode}`, () => describeRecords({ keepsArrival: true, finds: true }, make));
}

describe('logs of fromBetterSqlite3', () => {
  describeLogs(async () => {
    const { db, store } = await open();
    return {
      store: store as never,
      sweep: () => store.sweep(),
      leaveOpen: async (key, step) => void (await once(store, key, () => void db.exec('COMMIT'), step).catch(nothing)),
    };
  });
});

describe('fromBetterSqlite3, transactional', () => {
  it('commits key and effect together, on this and every other connection', async () => {
    const [first, second] = [await open(), await open()];
    const id = unique();
    expect(await once(first.store, id, first.write(id))).toBe('handled');
    for (const { store, write, count } of [first, second]) {
      expect(await once(store, id, write(id))).toBe('duplicate');
      expect(count(id)).toBe(1);
    }
  });

  it('commits neither if the handler throws', async () => {
    const { store, write, count } = await open();
    const id = unique();
    const work = () => {
      write(id)();
      throw new Error('the run failed');
    };
    await expect(once(store, id, work)).rejects.toThrow('the run failed');
    expect(count(id)).toBe(0);
    expect(await once(store, id, write(id))).toBe('handled');
  });

  it('rolls back a handler that has not returned in its turn', async () => {
    const { store, write, count } = await open();
    const id = unique();
    const asynchronous = once(store, id, async () => {
      write(id)();
      await undefined;
    });
    await expect(asynchronous).rejects.toMatchObject({
      code: 'ERR_WEBHOOK_HANDLER',
      message: expect.stringContaining('must not be async'),
    });
    expect(count(id)).toBe(0);
    expect(await once(store, id, write(id))).toBe('handled');
  });

  it.each([
    ['COMMIT', 1],
    ['ROLLBACK', 0],
    ['COMMIT; BEGIN', 1],
  ])('refuses by name a handler that ends the transaction itself: %s', async (text, kept) => {
    const { db, store, write, count } = await open();
    for (const code of [undefined, 'E', 'SQLITE_BUSY']) {
      const id = unique();
      const failure = Object.assign(new Error('no'), { code });
      const work = () => {
        write(id)();
        db.exec(text);
        if (code !== undefined) throw failure;
      };
      await expect(once(store, id, work)).rejects.toMatchObject({
        ...ERR_UNKNOWN,
        message: expect.stringContaining('ended the transaction'),
        ...(code !== undefined && { cause: failure }),
      });
      expect(count(id)).toBe(kept);
      expect(db.inTransaction).toBe(false);
      for (let time = 0; time < 2; time++) {
        expect(await once(store, id, write(id))).toBe('unknown');
        await store.sweep();
      }
      expect(count(id)).toBe(kept);
    }
  });

  it('handles any number of keys at once, those that are fresh in their order', async () => {
    const { store } = await open();
    const keys = Array.from({ length: 2500 }, unique);
    await once(store, keys[7] as string, nothing);
    let seen: readonly string[] = [];
    const each = () =>
      onceEach(store, keys, (fresh) => {
        seen = fresh;
      });
    const words = await each();
    expect(words?.map((word, index) => (word === 'handled') !== (index === 7)).every(Boolean)).toBe(true);
    expect(seen).toEqual(keys.filter((_, index) => index !== 7));
    expect(new Set(await each())).toEqual(new Set(['duplicate']));
  });

  it('never writes into a transaction that other code has opened on the connection', async () => {
    const { db, store, write, count } = await open(connect(), { timeoutMs: 100 });
    const id = unique();
    db.exec('BEGIN');
    await expect(once(store, id, write(id))).rejects.toThrow('Other code has a transaction open on the connection');
    expect(db.inTransaction).toBe(true);
    db.exec('ROLLBACK');
    expect(count(id)).toBe(0);
    expect(await once(store, id, write(id))).toBe('handled');
  });

  it('leaves nothing behind when the disk is full, and works again', async () => {
    const { db, store, write, count } = await open(connect('full.db'));
    const pages = Object.values(db.prepare('PRAGMA page_count').all()[0] as object)[0];
    db.exec(`PRAGMA max_page_count = ${pages}`);
    const id = unique();
    const work = () => {
      write(id)();
      db.exec('CREATE TABLE large (x)');
      db.exec(`INSERT INTO large VALUES (zeroblob(1000000))`);
    };
    await expect(once(store, id, work)).rejects.toThrow(/full/);
    expect([count(id), db.inTransaction]).toEqual([0, false]);
    db.exec('PRAGMA max_page_count = 100000');
    expect(await once(store, id, write(id))).toBe('handled');
  });

  it('fails on a file that it cannot write to, and on a closed connection', async () => {
    await open(connect('read.db'));
    const reader = connect('read.db');
    reader.exec('PRAGMA query_only = ON');
    const store = sqlStore({ db: fromBetterSqlite3(reader), transactional: true });
    await expect(once(store, unique(), nothing)).rejects.toThrow(/readonly/);
    reader.close();
    await expect(once(store, unique(), nothing)).rejects.toThrow('The database is closed.');
  });

  it('works on after the schema changed, in a handler and beside it, and after a failed statement', async () => {
    const { db, store, write, count } = await open(connect('schema.db'));
    const ids = [unique(), unique(), unique()] as const;
    expect(await once(store, ids[0], () => db.exec('ALTER TABLE effects ADD COLUMN more TEXT'))).toBe('handled');
    db.exec('DROP TABLE webhook_idempotency_keys; DROP TABLE effects; CREATE TABLE effects (id TEXT)');
    await expect(once(store, ids[1], write(ids[1]))).rejects.toThrow('Call migrate()');
    await store.migrate();
    db.exec('ALTER TABLE webhook_idempotency_keys ADD COLUMN note TEXT');
    expect(await once(store, ids[1], write(ids[1]))).toBe('handled');
    expect(await once(store, ids[1], failing)).toBe('duplicate');
    expect([count(ids[1]), db.inTransaction]).toEqual([1, false]);
    const other = await open(connect('schema.db'));
    expect(await once(other.store, ids[1], failing)).toBe('duplicate');
    expect(await once(other.store, ids[2], other.write(ids[2]))).toBe('handled');
  });

  it('works in memory', async () => {
    const { store, write, count } = await open(new Database(':memory:') as Connection);
    const id = unique();
    expect(await once(store, id, write(id))).toBe('handled');
    expect(await once(store, id, write(id))).toBe('duplicate');
    expect(count(id)).toBe(1);
    await expect(once(store, unique(), failing)).rejects.toThrow();
  });
});
