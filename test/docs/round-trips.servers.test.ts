import { readFile } from 'node:fs/promises';
import { Redis as Upstash } from '@upstash/redis';
import { Redis } from 'ioredis';
import { Client, Pool } from 'pg';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { IdempotencyStore } from '../../src/index.js';
import { redisStore } from '../../src/stores/redis/index.js';
import { fromPg, sqlStore } from '../../src/stores/sql/index.js';
import { event, noting, signed } from '../helpers.js';
import { hasPostgres, needsPostgres, startPostgres } from '../servers/postgres.js';
import { hasRedis, needsRedis, startRedis } from '../servers/redis.js';
import { hasDynamoDB, needsDynamoDB, useMemory } from '../stores/dynamodb/server.js';
import { startRestServer } from '../stores/redis/rest-server.js';

// The table of round trips in docs/start/serverless.md, counted at the client.

const page = await readFile(new URL('../../docs/start/serverless.md', import.meta.url), 'utf8');

/** What the page says of a store: the round trips of an event, of a duplicate, and of a delivery of a hundred events. */
const rowOf = (name: string) =>
  (page.split('\n').find((line) => line.startsWith(`| ${name} |`)) ?? '').split('|').slice(2, 5).map(Number);

/** Counts the calls of a method while a receiver takes a new event, the same again, and a delivery of a hundred. */
async function count(calls: { mock: { calls: unknown[] }; mockClear(): unknown }, given: unknown, id = 'event') {
  const store = given as IdempotencyStore;
  const { receiver: one } = noting({ store });
  const { receiver: many } = noting({ store, onEvents: () => {} });
  const hundred = Array.from({ length: 100 }, (_, index) => event(`${id} ${index}`));
  const counts: number[] = [];
  for (const [receiver, events] of [
    [one, [event(`${id} a`)]], // opens connections and loads scripts
    [one, [event(`${id} b`)]],
    [one, [event(`${id} b`)]],
    [many, hundred],
  ] as const) {
    calls.mockClear();
    expect((await receiver.handle(signed(events))).status).toBe(200);
    counts.push(calls.mock.calls.length);
  }
  return counts.slice(1);
}

describe('the table of round trips', () => {
  afterEach(() => vi.restoreAllMocks());

  it.skipIf(!hasPostgres)(`is true of Postgres${needsPostgres}`, async () => {
    const server = await startPostgres();
    const pool = new Pool({ connectionString: server.url });
    onTestFinished(async () => {
      await pool.end();
      await server.stop();
    });
    const calls = vi.spyOn(Client.prototype, 'query');
    const db = fromPg(pool);
    const leases = sqlStore({ db });
    await leases.migrate();
    expect(await count(calls, leases)).toEqual(rowOf('`sqlStore` on Postgres'));
    const store = sqlStore({ db, transactional: true });
    expect(await count(calls, store, 'other')).toEqual(rowOf('`sqlStore` on Postgres, `transactional: true`'));
  });

  it.skipIf(!hasRedis)(`is true of Redis, and of Upstash${needsRedis}`, async () => {
    const server = await startRedis();
    const client = new Redis(server.url);
    const front = await startRestServer(server.port);
    onTestFinished(async () => {
      client.disconnect();
      await front.stop();
      await server.stop();
    });
    const row = rowOf('`redisStore` on Redis, or Upstash');
    expect(await count(vi.spyOn(client, 'sendCommand'), redisStore({ client }))).toEqual(row);
    const upstash = new Upstash({ url: front.url, token: front.token, enableTelemetry: false });
    const store = redisStore({ client: upstash });
    expect(await count(vi.spyOn(globalThis, 'fetch'), store, 'other')).toEqual(row);
  });

  describe.skipIf(!hasDynamoDB)(`DynamoDB${needsDynamoDB}`, () => {
    const { open } = useMemory();
    it.each([
      ['`dynamodbStore`', 'lease'],
      ['`dynamodbStore`, `transactional: true`', 'transactional'],
    ] as const)('is true of %s', async (name, mode) => {
      const opened = open('DynamoDB');
      const calls = vi.spyOn(opened.client as unknown as { send(): unknown }, 'send');
      const store = opened[mode]();
      expect(await count(calls, store, mode)).toEqual(rowOf(name));
    });
  });
});
