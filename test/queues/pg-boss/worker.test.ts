import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ConfigError, NonRetryableError, type WebhookEvent } from '../../../src/index.js';
import { pgBossEnqueue, pgBossWorker } from '../../../src/queues/pg-boss/index.js';
import { context, jobOf } from '../../contracts/enqueue-helpers.js';
import { event } from '../../helpers.js';
import { hasPostgres, needsPostgres } from '../../servers/postgres.js';
import { unstarted, withBoss } from '../boss.js';

/** A `PgBoss` that notes what it is called with. */
function fakeBoss() {
  const calls: string[] = [];
  const note =
    <Answer>(name: string, answer: Answer) =>
    async (): Promise<Answer> => {
      calls.push(name);
      return answer;
    };
  const methods = { getQueue: note('getQueue', { deadLetter: 'dead' }), insert: note('insert', []) };
  return { calls, boss: { ...methods, complete: note('complete', null), getJobById: note('getJobById', null) } };
}

describe('without a database', () => {
  it('pgBossWorker fails a job whose data cannot be read, and does not make it a dead letter', async () => {
    const { boss, calls } = fakeBoss();
    const worker = pgBossWorker({ boss, onEvent: () => {} });
    const data = {
      get json(): never {
        throw new RangeError('out of memory');
      },
    };
    await expect(worker([{ id: '1', name: 'q', data, expireInSeconds: 900 }])).rejects.toThrow('out of memory');
    expect(calls).toEqual([]);
  });

  it('pgBossEnqueue does not ask the database to store nothing', async () => {
    const { boss, calls } = fakeBoss();
    await pgBossEnqueue({ boss, queue: 'q' })([], context);
    expect(calls).toEqual([]);
  });
});

describe.skipIf(!hasPostgres)(`pgBossWorker${needsPostgres}`, { timeout: 30_000 }, () => {
  const { server, started, queueOf, store } = withBoss();
  const batch = (name: string, ...data: unknown[]) =>
    data.map((each) => ({ id: randomUUID(), name, data: each, expireInSeconds: 900 }));

  it('refuses jobs that expire before their handler times out', async () => {
    const handled: string[] = [];
    const boss = unstarted({ connectionString: server().url });
    const worker = pgBossWorker({ boss, onEvent: ({ id }) => handled.push(id), handlerTimeoutMs: 450_000 });
    await expect(worker(batch('q', jobOf(event('a'))))).rejects.toThrow(ConfigError);
    expect(handled).toEqual([]);
  });

  it('fails a job that is not an event job if no dead-letter queue accepts it', async () => {
    const boss = await started();
    const { name, dead } = await queueOf(boss);
    const worker = pgBossWorker({ boss, onEvent: () => {} });
    const first = batch(name, { nothing: 1 });
    const second = batch(name, { nothing: 2 });
    await worker(first);
    await expect(worker(batch(dead, { nothing: 3 }))).rejects.toThrow('no dead-letter queue');
    const short = `short${randomUUID()}`;
    await boss.createQueue(short, { name: short, policy: 'short' });
    await boss.updateQueue(name, { name, deadLetter: short });
    await worker(first);
    await expect(worker(second)).rejects.toThrow(`did not store a job in the dead-letter queue ${short}`);
  });

  it('leaves one dead letter of a job that is not an event job, even after a retry', async () => {
    const boss = await started();
    const { name, dead } = await queueOf(boss);
    const jobs = batch(name, { nothing: 1 });
    await pgBossWorker({ boss, onEvent: () => {} })(jobs);
    await pgBossWorker({ boss, onEvent: () => {} })(jobs);
    const [letter, ...more] = await boss.fetch(dead, { batchSize: 9 });
    expect(more).toEqual([]);
    expect(letter?.data).toEqual({
      nothing: 1,
      failure: expect.stringContaining('idempotencyKey: expected a string; '),
    });
  });

  it('makes one dead letter of a job whose handler throws a NonRetryableError, which a worker can take there', async () => {
    const boss = await started();
    const { name, dead } = await queueOf(boss);
    await store(boss, name, [event('a'), event('b')], { attempts: 3 });
    const onEvent = ({ id }: WebhookEvent) =>
      id === 'b' ? undefined : Promise.reject(new NonRetryableError('Closed.'));
    await pgBossWorker({ boss, onEvent })(await boss.fetch(name, { batchSize: 2 }));
    expect(await boss.fetch(name, { batchSize: 2 })).toEqual([]);
    const letters = await boss.fetch(dead, { batchSize: 9 });
    expect(letters.map(({ data }) => data)).toMatchObject([
      { idempotencyKey: 'a', failure: expect.stringContaining('Closed.') },
    ]);
    const seen: string[] = [];
    await pgBossWorker({ boss, onEvent: ({ id }) => seen.push(id) })(letters);
    expect(seen).toEqual(['a']);
  });

  it('completes the successful jobs of a batch and fails only the others, with their reasons', async () => {
    const boss = await started();
    const { name } = await queueOf(boss);
    const events = ['a', 'b', 'c'].map((id) => event(id));
    await store(boss, name, events, { attempts: 1 });
    const jobs = await boss.fetch(name, { batchSize: 3 });
    const onEvent = ({ id }: WebhookEvent) => (id === 'b' ? undefined : Promise.reject(new Error(`boom ${id}`)));
    const worker = pgBossWorker({ boss, onEvent });
    await expect(worker(jobs)).rejects.toThrow(/boom [ac]\n.*boom [ac]/);
    const states = await Promise.all(jobs.map(({ id }) => boss.getJobById(name, id)));
    expect(states.map((each) => [Object(each?.data).idempotencyKey, each?.state]).sort()).toEqual([
      ['a', 'active'],
      ['b', 'completed'],
      ['c', 'active'],
    ]);
  });

  it('refuses a PgBoss in place of its options, and a boss of another kind', () => {
    const create = (options: unknown) => () => Reflect.apply(pgBossWorker, undefined, [options]);
    const boss = unstarted({ connectionString: 'postgres://localhost/nowhere' });
    expect(create(boss)).toThrow('takes an options object: call pgBossWorker({ boss, … })');
    expect(create({ boss: {}, onEvent: () => {} })).toThrow('`boss` must be a PgBoss, got an object.');
    expect(create({ onEvent: () => {} })).toThrow('`boss` must be a PgBoss, got undefined.');
  });
});
