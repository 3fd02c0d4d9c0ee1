import { once } from 'node:events';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { installLibrary } from '../../examples/frameworks/library.js';
import { startRecipe } from '../../examples/frameworks/recipes.js';
import { freePort } from '../../examples/servers/free-port.js';
import { createTestDelivery, sampleEventEmitted } from '../../src/testing/index.js';
import { hasPostgres, needsPostgres, startPostgres } from '../servers/postgres.js';
import type { TestServer } from '../servers/server.js';
import { hasFrameworks, importRecipe, needsFrameworks } from './installed.js';

const secret = 'whsec-nest';
let postgres: TestServer;

async function connect(): Promise<pg.Client> {
  const client = new pg.Client(postgres.url);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

describe.skipIf(!hasPostgres || !hasFrameworks)(
  `the app of the page about Nest${needsPostgres}${needsFrameworks}`,
  async () => {
    beforeAll(async () => {
      await installLibrary();
      postgres = await startPostgres();
      process.env.DATABASE_URL = postgres.url;
    }, 60_000);
    afterAll(() => postgres.stop());

    // The test that the page shows.
    if (hasPostgres && hasFrameworks) await importRecipe('nest/webhooks.test.ts');

    it.each(['nest', 'nest-fastify'] as const)(
      'finishes what is under way when it is told to end: %s',
      async (name) => {
        const port = await freePort();
        const url = `http://127.0.0.1:${port}/webhooks`;
        const env = { DATABASE_URL: postgres.url };
        const child = await startRecipe(name, { port, secret, env, onLine() {} });
        onTestFinished(() => void child.kill('SIGKILL'));
        const exit = once(child, 'exit');

        // A transaction sees the same activity until its end, so another connection looks.
        const [client, looking] = [await connect(), await connect()];
        await client.query('BEGIN; LOCK TABLE transfers IN EXCLUSIVE MODE');
        const event = sampleEventEmitted();
        const delivery = createTestDelivery([event], { secret }).send(url);
        const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
        await expect.poll(async () => (await looking.query(waiting)).rowCount).toBe(1);
        child.kill('SIGTERM');
        // Refused in both cases, so that none waits for the lock.
        const refused = () => createTestDelivery([sampleEventEmitted()], { secret: 'guessed' }).send(url);
        await expect.poll(async () => (await refused()).status).toBe(503);
        await client.query('COMMIT');
        expect((await delivery).status).toBe(200);
        await exit;
        const { rows } = await client.query('SELECT name FROM transfers WHERE event_id = $1', [event.id]);
        expect(rows).toEqual([{ name: event.event }]);
      },
    );
  },
);
