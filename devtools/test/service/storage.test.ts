import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import Database from 'libsql';
import { afterAll, describe, expect, it } from 'vitest';
import { fc } from '../../../test/fixtures/property.js';
import type { Change } from '../../src/service/change.js';
import { apply, emptyState, type State } from '../../src/service/state.js';
import { fileStorage, memoryStorage, type Storage } from '../../src/service/storage.js';

const directory = mkdtempSync(join(tmpdir(), 'storage-'));
afterAll(() => rmSync(directory, { recursive: true }));

let files = 0;
const newFile = () => join(directory, `storage-${++files}`);

/** The parts of a state to compare. A restart orders webhooks and pending deliveries by id. */
function comparable({ key, next, webhooks }: State): string {
  const inOrder = [...webhooks.values()].sort((a, b) => a.record.id - b.record.id);
  const plain = inOrder.map(({ record, deliveries, pending, events, bytes }) => ({
    ...{ record, events, bytes, pending: [...pending].map(({ id }) => id).sort((a, b) => a - b) },
    deliveries: [...deliveries.values()].map((delivery) => ({
      ...delivery,
      body: Buffer.from(delivery.body).toString(),
    })),
  }));
  return JSON.stringify({ key, next, plain }, (_name, value) => (value === undefined ? null : value));
}

// A state that was read from JSON has absent keys instead of undefined ones.
const same = (state: State) => JSON.stringify(JSON.parse(comparable(state), (_name, value) => value ?? undefined));

const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 8 }), fc.constantFrom('__proto__', '\n', '"', '\u2028'));
const id = fc.integer({ min: 1, max: 3 });
const webhook = fc
  .record({ id, label: text, secret: text.filter((each) => each !== ''), failedCalls: id })
  .map((fields) => ({
    ...{ url: 'https://example.com/', subscriptions: [], createdAt: '', updatedAt: '' },
    ...fields,
  }));
const state = fc.constantFrom('pending', 'delivered', 'given-up');
const attempt = fc.record({ at: id, headers: fc.constant([]), reason: fc.option(text, { nil: undefined }) });
const optional = fc.option(id, { nil: undefined });
const calls = fc.option(fc.record({ failedCalls: id, lastError: fc.option(text, { nil: undefined }) }), {
  nil: undefined,
});

/** A change, which depends on the state before it. */
const operation: fc.Arbitrary<(now: State) => Change> = fc.oneof(
  webhook.map((each) => () => ({ type: 'webhook', webhook: each }) as Change),
  id.map((each) => () => ({ type: 'removed', id: each }) as Change),
  text.map((key) => () => ({ type: 'key', key }) as Change),
  { weight: 4, arbitrary: fc.array(fc.array(text, { minLength: 1, maxLength: 3 }), { maxLength: 2 }).map(emitted) },
  {
    weight: 4,
    arbitrary: fc
      .record({ id, webhookId: id, attempts: fc.array(attempt, { maxLength: 2 }), failures: id, state })
      .chain((fields) =>
        fc.record({ deliveredAt: optional, nextAttemptAt: optional, calls }).map((more) => ({ ...fields, ...more })),
      )
      .map((fields) => () => ({ type: 'progress', ...fields }) as Change),
  },
);

/** Two webhooks, and any changes after that. */
const history = (constraints: fc.ArrayConstraints) =>
  fc
    .tuple(webhook, webhook, fc.array(operation, constraints))
    .map(([first, second, operations]) => [
      ...[first, second].map(
        (each, index) => () => ({ type: 'webhook', webhook: { ...each, id: index + 1 } }) as Change,
      ),
      ...operations,
    ]);

function emitted(bodies: string[][]) {
  return ({ webhooks, next }: State): Change => {
    let { delivery, event } = next;
    const batches = bodies.map((events) => {
      const to = [...webhooks.keys()].map((webhookId) => {
        event += events.length;
        return { id: delivery++, webhookId, firstEvent: event - events.length };
      });
      return { body: JSON.stringify(events), events: events.length, to };
    });
    return { type: 'emitted', at: 1, batches };
  };
}

const LIMITS = { events: 6, bytes: 60 };

async function using<T>(opening: Promise<Storage>, use: (storage: Storage) => T): Promise<T> {
  const storage = await opening;
  try {
    return use(storage);
  } finally {
    storage.close();
  }
}

/** What a process that is killed now leaves behind, in another place. */
function afterKill(file: string): string {
  const copy = newFile();
  for (const suffix of ['', '-wal']) if (existsSync(file + suffix)) copyFileSync(file + suffix, copy + suffix);
  return copy;
}

const key = (text: string): Change => ({ type: 'key', key: text });

describe('a file', () => {
  it('restores the state, trimmed as in memory', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(history({ maxLength: 30 }), async (operations) => {
        const file = newFile();
        const memory = memoryStorage(LIMITS);
        const before = await using(fileStorage(file, LIMITS), ({ state, commit }) => {
          for (const each of operations) {
            const change = each(state);
            expect(commit(change).map(({ id }) => id)).toEqual(memory.commit(change).map(({ id }) => id));
          }
          return same(state);
        });
        expect(before).toBe(same(memory.state));
        expect(await using(fileStorage(file, LIMITS), ({ state }) => same(state))).toBe(before);
      }),
      { numRuns: 60 },
    );
  });

  it('of a process that is killed contains every change that was committed', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(history({ minLength: 1, maxLength: 5 }), async (operations) => {
        const file = newFile();
        const left: [string, string][] = [];
        await using(fileStorage(file), ({ state, commit }) => {
          for (const each of operations) {
            commit(each(state));
            left.push([afterKill(file), same(state)]);
          }
        });
        for (const [copy, expected] of left) {
          expect(await using(fileStorage(copy), ({ state }) => same(state))).toBe(expected);
        }
      }),
      { numRuns: 15 },
    );
  });

  it('of a process that is killed while it writes restores the state before or after that change', async () => {
    const file = newFile();
    const states = new Set<string>();
    const storage = await fileStorage(file);
    for (let count = 0; count < 4; count++) {
      storage.commit(key(`key-${count}`));
      states.add(same(storage.state));
    }
    const size = statSync(`${file}-wal`).size;
    const found = new Set<string>();
    for (let cut = 0; cut <= size; cut += 997) {
      const copy = afterKill(file);
      truncateSync(`${copy}-wal`, size - cut);
      found.add(await using(fileStorage(copy), ({ state }) => same(state)));
    }
    storage.close();
    expect(found.size).toBeGreaterThan(3);
    expect([...found].filter((state) => !states.has(state) && state !== same(emptyState()))).toEqual([]);
  });

  it('forgets an error once a delivery succeeds', async () => {
    const file = newFile();
    const record = {
      id: 1,
      label: 'a',
      url: 'https://example.com/',
      subscriptions: [],
      secret: 's',
      createdAt: '',
      updatedAt: '',
    };
    const progress = { type: 'progress', id: 1, webhookId: 1, attempts: [], failures: 0, state: 'delivered' } as const;
    await using(fileStorage(file), ({ commit }) => {
      commit({ type: 'webhook', webhook: { ...record, failedCalls: 0 } });
      commit({ ...progress, calls: { failedCalls: 1, lastError: 'answered 500', nextAttempt: 'soon' } });
      commit({ ...progress, calls: { failedCalls: 0, lastError: undefined } });
    });
    await using(fileStorage(file), ({ state }) => {
      expect(state.webhooks.get(1)?.record).toEqual({ ...record, failedCalls: 0 });
    });
  });

  it('does not grow when its webhooks exceed their limits', async () => {
    const file = newFile();
    const webhook = {
      ...{
        id: 1,
        label: 'a',
        url: 'https://example.com/',
        subscriptions: [],
        secret: 's',
        createdAt: '',
        updatedAt: '',
        failedCalls: 0,
      },
    };
    await using(fileStorage(file, { events: 10, bytes: 1_000_000 }), ({ state, commit }) => {
      commit({ type: 'webhook', webhook });
      for (let count = 0; count < 2000; count++) {
        const { delivery: id, event: firstEvent } = state.next;
        const body = 'x'.repeat(10_000);
        commit({ type: 'emitted', at: 1, batches: [{ body, events: 1, to: [{ id, webhookId: 1, firstEvent }] }] });
      }
    });
    expect(statSync(file).size).toBeLessThan(500_000);
  });

  it('is readable by its owner only, as are the files that SQLite keeps beside it', async () => {
    for (const before of [undefined, '', 'ours']) {
      const file = newFile();
      if (before !== undefined) writeFileSync(file, '', { mode: 0o666 });
      if (before === 'ours') await using(fileStorage(file), () => {});
      if (before !== undefined) chmodSync(file, 0o644);
      await using(fileStorage(file), ({ commit }) => {
        commit(key('a'));
        const beside = readdirSync(directory).filter((name) => name.startsWith(basename(file)));
        expect(beside.length).toBeGreaterThan(1);
        expect(beside.map((name) => statSync(join(directory, name)).mode & 0o777)).toEqual(beside.map(() => 0o600));
      });
    }
  });

  it('may be a symbolic link', async () => {
    const [file, link] = [newFile(), newFile()];
    writeFileSync(file, '');
    symlinkSync(file, link);
    await using(fileStorage(link), ({ commit }) => commit(key('mine')));
    await using(fileStorage(file), ({ state }) => expect(state.key).toBe('mine'));
  });

  it.each([
    ['text', 'not a database\n'],
    ['a short text', 'x'],
    ['long text', 'not a database\n'.repeat(1000)],
    ['binary data', '\0\0\0\0'],
  ])('that contains %s is refused and left unchanged', async (_, content) => {
    const file = newFile();
    writeFileSync(file, content);
    await expect(fileStorage(file)).rejects.toMatchObject({
      code: 'ERR_WEBHOOK_CONFIG',
      message: expect.stringMatching(`\`file\`: ${file} was not created by a local service`),
    });
    expect(readFileSync(file, 'utf8')).toBe(content);
    expect(readdirSync(directory).filter((name) => name.startsWith(`${basename(file)}-`))).toEqual([]);
  });

  it.each([
    ['another application', 'CREATE TABLE mine (a); PRAGMA application_id = 7'],
    ['another application, without tables', 'PRAGMA application_id = 7'],
    ['a later version', `PRAGMA application_id = ${0x65_77_68_73}; PRAGMA user_version = 2`],
  ])('that is a database of %s is refused and left unchanged', async (_, sql) => {
    const file = newFile();
    const database = new Database(file);
    database.exec(sql);
    database.close();
    const before = readFileSync(file);
    await expect(fileStorage(file)).rejects.toThrow('was not created by a local service');
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  const damage = (table: string, column: string, value: string) => `UPDATE ${table} SET ${column} = ${value}`;
  const patch = (table: string, column: string, path: string, value: string) =>
    damage(table, column, `json_set(${column}, '$.${path}', ${value})`);

  it.each([
    ['a record that is not JSON', damage('webhooks', 'record', `'{'`)],
    ['a record that is not an object', damage('webhooks', 'record', `'null'`)],
    // libsql ends the process when it reads such text.
    ['a record that is not UTF-8', damage('webhooks', 'record', `CAST(x'7b22ff227d' AS TEXT)`)],
    ['a setting that is not UTF-8', `INSERT INTO settings VALUES ('key', CAST(x'ff' AS TEXT))`],
    ['a column name that is not UTF-8', 'column name'],
    ['a URL', patch('webhooks', 'record', 'url', `'nowhere'`)],
    ['a URL of another protocol', patch('webhooks', 'record', 'url', `'file:///a'`)],
    ['an empty secret', patch('webhooks', 'record', 'secret', `''`)],
    ['an id of another webhook', patch('webhooks', 'record', 'id', '7')],
    ['subscriptions', patch('webhooks', 'record', 'subscriptions', '5')],
    ['progress without fields', damage('deliveries', 'progress', `'{}'`)],
    ['a time that is not a date', patch('deliveries', 'progress', 'nextAttemptAt', '9e15')],
    ['an attempt', patch('deliveries', 'progress', 'attempts', `json('[5]')`)],
    ['a time of creation', damage('deliveries', 'created_at', '9000000000000000')],
    ['a body that is gone', 'PRAGMA foreign_keys = OFF; DELETE FROM bodies'],
    ['a webhook that is gone', 'PRAGMA foreign_keys = OFF; DELETE FROM webhooks'],
    ['a next id that was given before', `UPDATE settings SET value = 1 WHERE name = 'delivery'`],
    ['a next id that is not a number', `UPDATE settings SET value = 'x' WHERE name = 'event'`],
    ['the next ids gone', 'DELETE FROM settings'],
    ['a table', 'DROP TABLE deliveries'],
  ])('with damaged content is refused by name: %s', async (_, sql) => {
    const file = newFile();
    const webhook = { id: 1, label: 'a', url: 'https://example.com/', subscriptions: [], secret: 's', createdAt: '' };
    await using(fileStorage(file), ({ commit }) => {
      commit({ type: 'webhook', webhook: { ...webhook, updatedAt: '', failedCalls: 0 } });
      commit({
        ...{ type: 'emitted', at: 1 },
        batches: [{ body: '[]', events: 1, to: [{ id: 1, webhookId: 1, firstEvent: 1 }] }],
      });
    });
    if (sql === 'column name') {
      const bytes = readFileSync(file);
      writeFileSync(file, bytes.fill(255, bytes.indexOf('first_event'), bytes.indexOf('first_event') + 5));
    } else {
      const database = new Database(file);
      database.exec(sql);
      database.close();
    }
    await expect(fileStorage(file)).rejects.toMatchObject({
      code: 'ERR_WEBHOOK_CONFIG',
      message: expect.stringContaining(sql === 'column name' || sql.startsWith('DROP') ? file : `${file} is damaged`),
    });
  });

  it('with overwritten pages is refused as damaged', async () => {
    const file = newFile();
    await using(fileStorage(file), ({ commit }) => commit(key('a')));
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(255, 4096));
    await expect(fileStorage(file)).rejects.toThrow(
      `\`file\`: ${file} is damaged. Choose another file (SQLITE_CORRUPT).`,
    );
  });

  it('in a missing directory, or that is a directory, is refused', async () => {
    await expect(fileStorage(join(directory, 'missing', 'file'))).rejects.toThrow(
      'cannot be opened or written (ENOENT)',
    );
    const folder = newFile();
    mkdirSync(folder);
    await expect(fileStorage(folder)).rejects.toThrow('it is a directory');
  });

  it('is for one service at a time', async () => {
    const file = newFile();
    await using(fileStorage(file), ({ commit }) => commit(key('mine')));
    const first = await fileStorage(file);
    for (let tries = 0; tries < 2; tries++) {
      await expect(fileStorage(file)).rejects.toThrow(`\`file\`: ${file} is in use by another local service.`);
    }
    first.commit(key('still mine'));
    first.close();
    await using(fileStorage(file), ({ state }) => expect(state.key).toBe('still mine'));
    expect(readdirSync(directory).filter((name) => name.startsWith(`${basename(file)}-`))).toEqual([]);
  });
});

describe('what is kept for a webhook', () => {
  const record = {
    ...{ id: 1, label: 'a', url: 'https://example.com/', subscriptions: [], secret: 's', failedCalls: 0 },
    ...{ createdAt: '', updatedAt: '' },
  };
  const emit = (state: State, events: number, body = '[]') => {
    const { delivery: id, event: firstEvent } = state.next;
    return apply(state, {
      type: 'emitted',
      at: 1,
      batches: [{ body, events, to: [{ id, webhookId: 1, firstEvent }] }],
    });
  };

  it('is bounded in events: the oldest goes, and is told of when it was pending', () => {
    const state = emptyState({ events: 5, bytes: 1000 });
    apply(state, { type: 'webhook', webhook: record });
    expect([emit(state, 2), emit(state, 2)]).toEqual([[], []]);
    apply(state, { type: 'progress', id: 1, webhookId: 1, attempts: [], failures: 0, state: 'delivered' });
    expect(emit(state, 2)).toEqual([]);
    expect(emit(state, 2)).toMatchObject([{ id: 2, state: 'given-up' }]);
    const kept = state.webhooks.get(1);
    expect([...(kept?.deliveries.keys() ?? [])]).toEqual([3, 4]);
    expect([kept?.pending.size, kept?.events, kept?.bytes]).toEqual([2, 4, 4]);
  });

  it('is bounded in bytes, but the last one stays', () => {
    const state = emptyState({ events: 1000, bytes: 10 });
    apply(state, { type: 'webhook', webhook: record });
    emit(state, 1, 'x'.repeat(6));
    expect(emit(state, 1, 'x'.repeat(6))).toMatchObject([{ id: 1 }]);
    expect(emit(state, 1, 'x'.repeat(60))).toMatchObject([{ id: 2 }]);
    expect(state.webhooks.get(1)?.bytes).toBe(60);
  });
});
