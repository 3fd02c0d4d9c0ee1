import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { hasPostgres, needsPostgres, startPostgres } from '../../servers/postgres.js';
import type { TestServer } from '../../servers/server.js';
import { Both } from './postgres/conformance/both.js';
import { RealEngine } from './postgres/conformance/real.js';
import { SCENARIOS } from './postgres/conformance/scenarios.js';

const LINE = /^(\w+)(?: (ends)| (waits))?(?:: (.*))?$/;

describe.skipIf(!hasPostgres)(`the model of Postgres answers as the real one${needsPostgres}`, () => {
  let server: TestServer;
  let observer: pg.Client;
  beforeAll(async () => {
    server = await startPostgres();
    observer = new pg.Client({ connectionString: server.url });
    await observer.connect();
  }, 60_000);
  afterAll(async () => {
    await observer.end();
    await server.stop();
  });

  it.each(Object.entries(SCENARIOS))('%s', async (_, lines) => {
    const both = new Both(new RealEngine(server.url, observer));
    onTestFinished(() => both.real.close());
    await observer.query('DROP TABLE IF EXISTS t');
    for (const name of ['a', 'b', 'c', 'd']) await both.open(name);
    await both.send('a', 'CREATE TABLE t (id text PRIMARY KEY, n int)');
    for (const line of lines) {
      const [, name = '', isEnd, waits, text = ''] = LINE.exec(line) ?? [];
      if (isEnd) await both.end(name);
      else await both.send(name, text);
      expect(Object.keys(both.waiting).includes(name), line).toBe(waits !== undefined);
    }
  });
});
