import { readFile } from 'node:fs/promises';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReceiver, NonRetryableError } from '../../src/index.js';
import { fromPg, sqlStore } from '../../src/stores/sql/index.js';
import { event, seconds, secret, signed } from '../helpers.js';
import { hasPostgres, needsPostgres, startPostgres } from '../servers/postgres.js';
import type { TestServer } from '../servers/server.js';

const page = await readFile(new URL('../../docs/operate/record.md', import.meta.url), 'utf8');
const statements = [...page.matchAll(/```sql\n(.*?)```/gs)].map(([, text = '']) => text);

describe.skipIf(!hasPostgres)(`the statements of the page about the record${needsPostgres}`, () => {
  let server: TestServer;
  let pool: Pool;

  beforeAll(async () => {
    server = await startPostgres();
    pool = new Pool({ connectionString: server.url });
    const store = sqlStore({ db: fromPg(pool), transactional: true });
    await store.migrate();
    const receiver = createReceiver({
      ...{ secret, store, deadLetters: {}, now: () => seconds * 1000 },
      onEvent({ id }) {
        if (id === 'bad') throw new NonRetryableError('No account.');
      },
    });
    expect((await receiver.handle(signed([event('12'), event('bad')]))).status).toBe(200);
  }, 60_000);
  afterAll(async () => {
    await pool?.end();
    await server?.stop();
  });

  const rows = async (at: number) => (await pool.query(statements[at] as string)).rows;

  it('find what is stuck and what failed', async () => {
    expect(await rows(0)).toMatchObject([{ key: 'event.emitted:bad', state: 'dead', attempts: 1 }]);
    expect(await rows(1)).toMatchObject([{ kind: 'event.emitted', error_message: 'No account.', count: '1' }]);
  });

  it('find who sent an event, and how long it took', async () => {
    const [found] = await rows(2);
    expect(found).toMatchObject({ source: null, via: 'webhook', received_at: new Date(seconds * 1000), state: 'done' });
    expect((await rows(3))[0]?.seconds).toHaveLength(2);
  });

  it('find logs that may still change', async () => {
    expect(await rows(4)).toEqual([]);
    expect(statements).toHaveLength(5);
  });
});
