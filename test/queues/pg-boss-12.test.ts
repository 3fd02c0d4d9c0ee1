import { describe, expect, it } from 'vitest';
import { pgBossJobId } from '../../src/queues/job.js';
import { pgBossEnqueue } from '../../src/queues/pg-boss/index.js';
import { event } from '../helpers.js';

// The calls that pg-boss 12 gets. `npm run test:peers` has it store them for real.
function boss12(queue: object = {}) {
  const stored = new Map<string, object>();
  const refused = new Set<string>();
  const inserts: { jobs: readonly object[]; options: unknown }[] = [];
  return {
    stored,
    refused,
    inserts,
    getQueue: async (name: string) => ({ policy: 'standard', deadLetter: name === 'q' ? 'dead' : null, ...queue }),
    async insert(_name: string, jobs: readonly { id: string }[], options: unknown) {
      inserts.push({ jobs, options });
      const fresh = jobs.filter(({ id }) => !stored.has(id) && !refused.has(id));
      for (const job of fresh) stored.set(job.id, job);
      return fresh.map(({ id }) => id);
    },
    findJobs: async (_name: string, { id }: { id: string }) => (stored.has(id) ? [{ id }] : []),
  };
}
const given = (...ids: string[]) =>
  [ids.map((id) => event(id)), { idempotencyKeys: ids, timestamp: '1', signal: new AbortController().signal }] as const;

describe('a enqueue to pg-boss 12', () => {
  it('inserts once, and takes a job that is there already for stored', async () => {
    const boss = boss12();
    const enqueue = pgBossEnqueue(boss, 'q');
    await enqueue(...given('a'));
    await enqueue(...given('a', 'b'));
    expect([...boss.stored.keys()].sort()).toEqual([pgBossJobId('a'), pgBossJobId('b')].sort());
    expect(boss.inserts.map(({ jobs, options }) => [jobs.length, options])).toEqual([
      [1, { returnId: true }],
      [2, { returnId: true }],
    ]);
  });

  it('rejects when a job is neither inserted nor found', async () => {
    const boss = boss12();
    boss.refused.add(pgBossJobId('b'));
    await expect(pgBossEnqueue(boss, 'q')(...given('a', 'b'))).rejects.toThrow('1 of 2');
    expect([...boss.stored.keys()]).toEqual([pgBossJobId('a')]);
  });

  it.each([
    ['the default of the queue', { deleteAfterSeconds: null }, 7 * 86_400],
    ['longer where the queue does', { deleteAfterSeconds: 10 ** 6 }, 10 ** 6],
    ['forever where the queue does', { deleteAfterSeconds: 0 }, 0],
  ])('keeps what is done for retentionMs: %s', async (_, queue, deleteAfterSeconds) => {
    const boss = boss12(queue);
    await pgBossEnqueue(boss, 'q')(...given('a'));
    expect(boss.inserts[0]?.jobs).toMatchObject([{ deleteAfterSeconds, retentionSeconds: 10 * 365 * 86_400 }]);
  });

  it.each([
    [900, 90],
    [100, 100],
  ])('has a job of a queue that expires its jobs after %d s expire after %d s', async (of, expireInSeconds) => {
    const boss = boss12({ expireInSeconds: of });
    await pgBossEnqueue(boss, 'q')(...given('a'));
    expect(boss.inserts[0]?.jobs).toMatchObject([{ expireInSeconds }]);
  });
});
