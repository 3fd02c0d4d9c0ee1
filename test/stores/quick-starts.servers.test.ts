import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import Database from 'libsql';
import { createClient } from 'redis';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { fetchHandler } from '../../src/adapters/fetch.js';
import type { LeaseStore, ReceiverOptions, WebhookEvent } from '../../src/index.js';
import { redisStore } from '../../src/stores/redis/index.js';
import { type SqlDatabase, sqlStore } from '../../src/stores/sql/index.js';
import { createTestDelivery, sampleEventEmitted } from '../../src/testing/index.js';
import { nothing } from '../contracts/store-helpers.js';
import { needsMariadb, startMariadb } from '../servers/mariadb.js';
import { needsPostgres, startPostgres } from '../servers/postgres.js';
import { needsRedis, startRedis } from '../servers/redis.js';
import type { TestServer } from '../servers/server.js';
import { useServer } from '../servers/use-server.js';
import type { QuickStart } from './quick-starts.js';
import { hasOrms, importOrms, needsOrms } from './sql/orms/installed.js';

const secret = 'whsec-quick-start';
const { quickStarts = {} } = hasOrms
  ? await importOrms<{ quickStarts: Readonly<Record<string, QuickStart>> }>('quick-starts')
  : {};

const COLUMNS = {
  postgres: 'id serial PRIMARY KEY, event_id text NOT NULL, name text NOT NULL',
  mysql: 'id int AUTO_INCREMENT PRIMARY KEY, event_id text NOT NULL, name text NOT NULL',
  sqlite: 'id INTEGER PRIMARY KEY, event_id TEXT NOT NULL, name TEXT NOT NULL',
};

/** The statuses of a delivery and its repetition. */
async function deliverTwice(options: ReceiverOptions<unknown>): Promise<readonly [string, number[]]> {
  const handle = fetchHandler(options);
  const event = sampleEventEmitted();
  const delivery = createTestDelivery([event], { secret });
  return [event.id, [(await handle(delivery.request())).status, (await handle(delivery.request())).status]];
}

async function expectLeases(store: LeaseStore): Promise<void> {
  const handled: string[] = [];
  const onEvent = (event: WebhookEvent) => void handled.push(event.id);
  const [id, statuses] = await deliverTwice({ secret, store, onEvent } as ReceiverOptions<unknown>);
  expect([statuses, handled]).toEqual([[200, 200], [id]]);
}

const SERVERS = [
  ['over Postgres', needsPostgres, startPostgres],
  ['over MariaDB', needsMariadb, startMariadb],
  ['in a file', '', undefined],
  ['in the process', '', undefined],
] as const;

for (const [where, missing, start] of SERVERS) {
  const titles = Object.keys(quickStarts).filter((title) => title.endsWith(where));
  const skips = missing + needsOrms;
  describe.skipIf(skips)(`the quick start of a client ${where}${skips}`, () => {
    const server = start && useServer<TestServer>(start);

    it.each(titles)('handles a delivery once with leases and in transactions: %s', async (title) => {
      const warn = vi.spyOn(process, 'emitWarning').mockImplementation(nothing);
      onTestFinished(() => warn.mockRestore());
      const directory = mkdtempSync(join(tmpdir(), 'quick-start-'));
      onTestFinished(() => rmSync(directory, { recursive: true }));
      const file = join(directory, 'app.db');
      const opened = await (quickStarts[title] as QuickStart)(server?.().url ?? file);
      const { write, table = 'transfers' } = opened;
      onTestFinished(async () => void (await opened.close()));
      // A synchronous database of the store and one for leases have the same modes, or fewer.
      const db = opened.db as SqlDatabase<unknown>;

      const store = sqlStore({ db });
      await store.migrate();
      await expectLeases(store);

      if (!write) {
        expect(() => sqlStore({ db, transactional: true })).toThrow('transactional');
        return;
      }
      const other = where === 'in a file' ? new Database(file) : undefined;
      onTestFinished(() => void other?.close());
      const run = async (text: string) => (other ? other.prepare(text).all() : (await db.run(text)).rows);
      const create = `CREATE TABLE IF NOT EXISTS ${table} (${COLUMNS[db.dialect]})`;
      if (other) other.exec(create);
      else await db.run(create);
      const [id, statuses] = await deliverTwice({
        secret,
        store: sqlStore({ db, transactional: true }),
        onEvent: (event, { tx }) => write(tx, event) as undefined,
      });
      expect(statuses).toEqual([200, 200]);
      expect(await run(`SELECT name FROM ${table} WHERE event_id = '${id}'`)).toHaveLength(1);
    });
  });
}

describe.skipIf(needsRedis)(`the quick start of a client of Redis${needsRedis}`, () => {
  const server = useServer(startRedis);

  it('handles a delivery once: ioredis', async () => {
    const redis = new Redis(server().url);
    onTestFinished(() => redis.disconnect());
    await expectLeases(redisStore({ client: redis }));
  });

  it('handles a delivery once: node-redis', async () => {
    const client = await createClient({ url: server().url })
      .on('error', (error) => console.log('Redis Client Error', error))
      .connect();
    onTestFinished(() => client.destroy());
    await expectLeases(redisStore({ client }));
  });
});
