import { describe, expect, it } from 'vitest';
import { finalityOf } from '../../../src/chain/finality/stage.js';
import type { Finality } from '../../../src/handle/before.js';
import { memoryStore } from '../../../src/index.js';
import { pgBossWorker } from '../../../src/queues/pg-boss/index.js';
import { pgBossJobId } from '../../../src/queues/pg-boss/job-id.js';
import { jobOf } from '../../contracts/enqueue-helpers.js';
import { eventually } from '../../contracts/store-helpers.js';
import { event } from '../../helpers.js';
import { hasPostgres, needsPostgres } from '../../servers/postgres.js';
import { maintain, only12, withBoss } from '../boss.js';

/** A finality that the test opens. */
function gate(retryAfterMs = 100) {
  const state = { isOpen: false };
  const finality = finalityOf({
    check: async (events) =>
      events.map(() => (state.isOpen ? { status: 'final' } : { status: 'pending', retryAfterMs })),
  });
  return { state, finality };
}

describe.skipIf(!hasPostgres)(`pgBossWorker with finality${needsPostgres}`, { timeout: 60_000 }, () => {
  const { started, queueOf, store: enqueue } = withBoss();

  /** A queue with the job of one event, and how to look at its jobs. */
  async function waiting(
    ...[settings, id = 'a', backoffMs = 3000]: [settings?: object, id?: string, backoffMs?: number]
  ) {
    const boss = await started();
    const { name, dead } = await queueOf(boss, settings);
    await enqueue(boss, name, [event(id)], { attempts: 4, backoffMs, handlerTimeoutMs: 300 });
    const rows = async () =>
      (await boss.getDb().executeSql('SELECT * FROM pgboss.job WHERE name = $1 ORDER BY created_on', [name])).rows;
    const next = async () => {
      const jobs = await boss.fetch(name, { batchSize: 9 });
      return jobs ?? [];
    };
    const handled: string[] = [];
    const workerWith = (finality: Finality) =>
      pgBossWorker({
        ...{ boss, finality, store: memoryStore(), handlerTimeoutMs: 300 },
        onEvent: ({ id }) => handled.push(id),
      });
    return { boss, name, dead, rows, next, handled, workerWith };
  }

  it('sends the job again with its data and its retries, to run when the wait is over', async () => {
    const { rows, next, workerWith } = await waiting({}, 'text with \0');
    await workerWith(gate(60_000).finality)(await next());
    const [first, again, ...more] = await rows();
    expect(more).toEqual([]);
    for (const column of ['data', 'retry_limit', 'retry_delay', 'retry_backoff']) {
      expect(again[column]).toEqual(first[column]);
    }
    expect(again).toMatchObject({ state: 'created', retry_count: 0, retry_limit: 3, retry_delay: 3 });
    expect(again.data).toHaveProperty('json');
    const aheadMs = again.start_after.getTime() - again.created_on.getTime();
    expect(Math.abs(aheadMs - 60_000)).toBeLessThan(1000);
    expect(again.keep_until.getFullYear()).toBeGreaterThan(new Date().getFullYear() + 8);
    expect(await next()).toEqual([]);
  });

  it('handles an event once whose worker is killed between sending its job again and completing it', async () => {
    const { boss, name, dead, rows, next, handled, workerWith } = await waiting({ expireInSeconds: 1 }, 'a', 0);
    const { state, finality } = gate();
    const worker = workerWith(finality);
    // Nobody completes the job: its worker dies each time. It expires and runs again.
    for (let deaths = 0; deaths < 2; deaths++) {
      let jobs: Awaited<ReturnType<typeof next>> = [];
      await eventually(async () => {
        await maintain(boss);
        jobs = (await next()).filter(({ id }) => id === pgBossJobId('a'));
        expect(jobs).toHaveLength(1);
      });
      await worker(jobs);
      expect(await rows()).toHaveLength(2);
    }
    state.isOpen = true;
    await boss.work(name, { batchSize: 9, pollingIntervalSeconds: 0.5 }, worker);
    await eventually(async () => {
      await maintain(boss);
      expect((await rows()).filter((row) => ['created', 'retry', 'active'].includes(row.state))).toEqual([]);
    }, 20_000);
    expect(handled).toEqual(['a']);
    expect(await boss.fetch(dead)).toEqual([]);
  });

  it('completes a job that waits within a batch, and leaves its neighbours alone', async () => {
    const { boss, name, rows, next, handled, workerWith } = await waiting();
    await enqueue(boss, name, [event('b')], { handlerTimeoutMs: 300 });
    const finality = finalityOf({
      check: async (events) =>
        events.map(({ id }) => (id === 'a' ? { status: 'pending', retryAfterMs: 60_000 } : { status: 'final' })),
    });
    const jobs = await next();
    expect(jobs).toHaveLength(2);
    await workerWith(finality)(jobs);
    expect(handled).toEqual(['b']);
    expect((await rows()).map((row) => row.state).sort()).toEqual(['completed', 'completed', 'created']);
  });

  only12('keeps a job that was sent again for an hour after it completed', async () => {
    const { rows, next, workerWith } = await waiting();
    await workerWith(gate().finality)(await next());
    expect((await rows())[1]).toMatchObject({ deletion_seconds: 3600 });
  });

  it('fails a job that pg-boss does not know, and sends nothing', async () => {
    const { name, rows, workerWith } = await waiting();
    const id = '00000000-0000-4000-8000-000000000000';
    const job = { id, name, data: jobOf(event('z')), expireInSeconds: 900 };
    await expect(workerWith(gate().finality)([job])).rejects.toThrow('does not find the job');
    expect(await rows()).toHaveLength(1);
  });
});
