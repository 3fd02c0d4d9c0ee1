import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { hasPostgres, needsPostgres, startPostgres } from '../../servers/postgres.js';
import type { TestServer } from '../../servers/server.js';
import { Choices } from '../kernel/choices.js';
import { Both } from './postgres/conformance/both.js';
import { createTables, Operations } from './postgres/conformance/operations.js';
import { RealEngine } from './postgres/conformance/real.js';
import { SCENARIOS } from './postgres/conformance/scenarios.js';

const LINE = /^(\w+)(?: (ends)| (waits))?(?:: (.*))?$/;

/** `SEED=…` starts elsewhere, `SEQUENCES=…` runs more. */
const SEED = Number(process.env.SEED ?? 1);
const SEQUENCES = Number(process.env.SEQUENCES ?? 60);
const STEPS = 40;

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

  it.each(Object.entries(SCENARIOS))('%s', { timeout: 60_000 }, async (_, lines) => {
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

  describe('sequences of the stores’ statements', () => {
    beforeAll(async () => {
      await createTables((text) => observer.query(text));
    });

    it.each(Array.from({ length: SEQUENCES }, (_, at) => SEED + at))('seed %i', { timeout: 60_000 }, async (seed) => {
      await observer.query('TRUNCATE webhook_events, webhook_events_cursors, effects');
      const both = new Both(new RealEngine(server.url, observer));
      onTestFinished(() => both.real.close());
      for (const name of ['a', 'b', 'c']) await both.open(name);
      await createTables((text) => both.model.rowsOf('a', text));
      const choices = Choices.ofSeed(seed);
      const operations = new Operations(choices, both);
      for (let step = 0; step < STEPS; step++) {
        const waiting = Object.keys(both.waiting);
        // Which of two that wait goes first is up to the real server.
        if (waiting.length > 1) return;
        await operations.step(choices.pick(both.names().filter((name) => !waiting.includes(name))));
      }
      if (Object.keys(both.waiting).length > 1) return;
      for (const name of both.names()) await both.end(name);
      await both.open('z');
      for (const table of ['webhook_events', 'effects']) await both.send('z', `SELECT * FROM ${table}`);
    });
  });
});
