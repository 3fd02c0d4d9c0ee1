import { describe, expect, it } from 'vitest';
import { pgBossEnqueue } from '../../../src/queues/pg-boss/index.js';
import { pgBossJobId } from '../../../src/queues/pg-boss/job-id.js';
import { context, entriesOf } from '../../contracts/enqueue-helpers.js';
import { event } from '../../helpers.js';

// The calls to pg-boss 12. `npm run test:tier peers` runs the contract with the real one.
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
    complete: async () => {},
    deleteJob: async () => {},
    findJobs: async (_name: string, { id = '' }: { id?: string }) => (stored.has(id) ? [{ id }] : []),
  };
}
const given = (...ids: string[]) => [entriesOf(ids.map((id) => event(id))), context] as const;

describe('pgBossEnqueue with pg-boss 12', () => {
  it('rejects if a job is neither inserted nor found', async () => {
    const boss = boss12();
    boss.refused.add(pgBossJobId('b'));
    await expect(pgBossEnqueue({ boss, queue: 'q' })(...given('a', 'b'))).rejects.toThrow('1 of 2');
    expect([...boss.stored.keys()]).toEqual([pgBossJobId('a')]);
  });

  it.each([
    ['a queue without a time', { deleteAfterSeconds: null }, 7 * 86_400],
    ['a queue with a longer time', { deleteAfterSeconds: 10 ** 6 }, 10 ** 6],
    ['a queue that keeps jobs forever', { deleteAfterSeconds: 0 }, 0],
  ])('keeps completed jobs for at least retentionMs: %s', async (_, queue, deleteAfterSeconds) => {
    const boss = boss12(queue);
    await pgBossEnqueue({ boss, queue: 'q' })(...given('a'));
    expect(boss.inserts[0]?.jobs).toMatchObject([{ deleteAfterSeconds, retentionSeconds: 10 * 365 * 86_400 }]);
  });

  it.each([
    [900, 90],
    [100, 100],
  ])('replaces only the default expiry: %d s becomes %d s', async (of, expireInSeconds) => {
    const boss = boss12({ expireInSeconds: of });
    await pgBossEnqueue({ boss, queue: 'q' })(...given('a'));
    expect(boss.inserts[0]?.jobs).toMatchObject([{ expireInSeconds }]);
  });
});
