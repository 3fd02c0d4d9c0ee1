import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { NonRetryableError } from '../../src/index.js';
import type { QueueDeadLetter } from '../../src/queues/bullmq/index.js';
import { pgBossDeadLetters } from '../../src/queues/pg-boss/index.js';
import { context, entriesOf } from '../contracts/enqueue-helpers.js';
import { eventually } from '../contracts/store-helpers.js';
import { event } from '../helpers.js';
import { hasPostgres, startPostgres } from '../servers/postgres.js';
import { hasRedis, startRedis } from '../servers/redis.js';
import type { TestServer } from '../servers/server.js';
import { useServer } from '../servers/use-server.js';
import { isPgBoss12, only10, unstarted } from './boss.js';
import { type EngineQueue, type OnEvent, openBullmqPostgres, openBullmqRedis, openPgBoss } from './engines.js';

only10('pgBossDeadLetters refuses pg-boss 10', async () => {
  const boss = unstarted({ connectionString: 'postgres://localhost/nowhere' });
  expect(() => pgBossDeadLetters({ boss, queue: 'q' })).toThrow('version 10 cannot list jobs');
});

const ENGINES = [
  { name: 'BullMQ on Redis', open: openBullmqRedis, start: startRedis, canRun: hasRedis },
  { name: 'BullMQ on Postgres', open: openBullmqPostgres, start: startPostgres, canRun: hasPostgres },
  { name: 'pg-boss 12', open: openPgBoss, start: startPostgres, canRun: hasPostgres },
];

for (const { name: title, open, start, canRun } of isPgBoss12 ? ENGINES.slice(2) : ENGINES.slice(0, 2)) {
  describe.skipIf(!canRun)(`dead letters of ${title}`, () => {
    const server = useServer<TestServer>(start);

    it('are listed, retried once by two operators, and discarded', { timeout: 120_000 }, async () => {
      const name = `q${randomUUID()}`;
      const queue = await open(server().url, name, { attempts: 1 });
      const operators = [queue, await open(server().url, name)].map(({ letters }) => letters as typeof lettersOf);
      const [letters] = operators as [typeof lettersOf];
      const runs: string[] = [];
      let broken: readonly string[] = ['a', 'b', 'nul \0'];
      const onEvent: OnEvent = ({ id }) => {
        runs.push(id);
        if (broken.includes(id)) throw id === 'b' ? new NonRetryableError('Closed.') : new Error('boom');
      };
      const deliver = (source: string, ...ids: string[]) =>
        queue.enqueue(entriesOf(ids.map((id) => event(id))), { ...context, source });
      const keys = async () => (await letters.list()).letters.map(({ idempotencyKey }) => idempotencyKey).sort();
      const dead = (...expected: (string | undefined)[]) =>
        eventually(async () => expect(await keys()).toEqual(expected.sort()), 30_000);

      await deliver('one', 'a');
      await deliver('two', 'b', 'nul \0', 'good');
      await queue.add('{"nothing":true}');
      const stop = await queue.work<undefined>({ onEvent });
      await eventually(async () => expect(await keys()).toHaveLength(4), 30_000);
      const foreign = (await letters.list()).letters.find(({ data }) => data) as QueueDeadLetter;
      expect(foreign).toMatchObject({ data: { nothing: true }, message: expect.stringContaining('not an event job') });
      expect(await letters.find('b')).toMatchObject({
        ...{ idempotencyKey: 'b', event: event('b'), source: 'two', message: expect.stringContaining('Closed.') },
        lastFailedAt: expect.closeTo(Date.now(), -5),
      });
      expect(await letters.find('a')).toMatchObject({ attempts: 1, message: expect.stringContaining('boom') });
      expect(await letters.find('good')).toBeUndefined();

      const seen: QueueDeadLetter[] = [];
      let cursor: string | undefined;
      do {
        const page = await letters.list({ source: 'two', limit: 1, cursor });
        seen.push(...page.letters);
        cursor = page.cursor;
      } while (cursor !== undefined);
      expect(seen.map(({ idempotencyKey }) => idempotencyKey).sort()).toEqual(['b', 'nul \0']);

      expect(await letters.retry(['a', 'none', foreign.idempotencyKey])).toEqual({ queued: 2, skipped: 1 });
      await eventually(async () => expect(runs.filter((id) => id === 'a')).toHaveLength(2), 30_000);
      await eventually(async () => expect(await keys()).toHaveLength(4), 30_000);
      broken = ['a'];
      await Promise.all(operators.map((each) => each.retry({ source: 'two' })));
      await eventually(async () => expect(await keys()).toHaveLength(2), 30_000);
      await eventually(async () => expect(await queue.pending()).toBe(0), 30_000);
      expect(runs.filter((id) => id === 'b' || id === 'nul \0')).toHaveLength(4);

      expect(await letters.discard(['a', 'none'])).toEqual(['a']);
      const [left] = await keys();
      expect(await letters.discard([left as string])).toEqual([left]);
      await dead();
      await eventually(async () => expect(await queue.pending()).toBe(0), 30_000);
      await deliver('one', 'a', 'b', 'last');
      await eventually(async () => expect(runs.at(-1)).toBe('last'), 30_000);
      expect(runs.filter((id) => id === 'a' || id === 'b')).toHaveLength(4);
      await stop();
    });
  });
}

declare const lettersOf: NonNullable<EngineQueue['letters']>;
