import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import type PgBoss from 'pg-boss';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ConfigError, type WebhookEvent } from '../../src/index.js';
import { type PgBossEnqueueOptions, pgBossEnqueue, pgBossWorker } from '../../src/queues/pg-boss/index.js';
import { eventually } from '../contracts/store-helpers.js';
import { event } from '../helpers.js';
import { hasPostgres, needsPostgres, startPostgres } from '../servers/postgres.js';
import type { TestServer } from '../servers/server.js';
import { isPgBoss12, maintain, queueSize, startBoss, unstarted } from './boss.js';

const minute = 60_000;
/** Of what only one of them has. */
const only = (isThere: boolean) => (title: string, test: () => Promise<void>) => void (isThere && it(title, test));
const [only10, only12] = [only(!isPgBoss12), only(isPgBoss12)];
const job = (each: WebhookEvent) => ({ event: each, idempotencyKey: each.id, timestamp: '1700000000' });

describe.skipIf(!hasPostgres)(`pg-boss and its settings${needsPostgres}`, { timeout: 30_000 }, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server.stop());

  async function started(options: PgBoss.ConstructorOptions = {}) {
    const boss = await startBoss({ connectionString: server.url, max: 3, ...options });
    onTestFinished(() => boss.stop({ graceful: false }));
    return boss;
  }
  type Settings = Omit<PgBoss.Queue, 'name'>;
  async function queueOf(boss: PgBoss, settings: Settings = {}) {
    const name = `q${randomUUID()}`;
    const dead = `${name}-dead`;
    await boss.createQueue(dead);
    await boss.createQueue(name, { name, deadLetter: dead, ...settings });
    return { name, dead };
  }
  const store = async (boss: PgBoss, name: string, events: WebhookEvent[], options?: PgBossEnqueueOptions) => {
    const idempotencyKeys = events.map(({ id }) => id);
    const context = { idempotencyKeys, timestamp: '1700000000', signal: new AbortController().signal };
    await pgBossEnqueue(boss, name, options)(events, context);
  };
  const refusal = async (...args: Parameters<typeof store>) => {
    const error = await store(...args).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    return String(error);
  };

  it('refuses a queue that does not exist, and takes it once it does', async () => {
    const boss = await started();
    const enqueue = pgBossEnqueue(boss, 'later');
    const [each, signal] = [event(randomUUID()), new AbortController().signal];
    const context = { idempotencyKeys: [each.id], timestamp: '1', signal };
    await expect(enqueue([each], context)).rejects.toThrow('createQueue');
    await boss.createQueue('later-dead');
    await boss.createQueue('later', { name: 'later', deadLetter: 'later-dead' });
    await enqueue([each], context);
    expect(await queueSize(boss, 'later')).toBe(1);
  });

  it.each(['short', 'singleton', 'stately'] as const)('refuses the policy %s, which drops jobs', async (policy) => {
    const boss = await started();
    const { name } = await queueOf(boss, { policy });
    expect(await refusal(boss, name, [event(randomUUID())])).toContain("policy: 'standard'");
    expect(await queueSize(boss, name)).toBe(0);
  });

  it('refuses a queue without a dead-letter queue, or with one that drops jobs', async () => {
    const boss = await started();
    const each = [event(randomUUID())];
    const { dead } = await queueOf(boss);
    expect(await refusal(boss, dead, each)).toContain('dead-letter queue');
    const [name, short] = [`q${randomUUID()}`, `short${randomUUID()}`];
    await boss.createQueue(short, { name: short, policy: 'short', deadLetter: dead });
    await boss.createQueue(name, { name, deadLetter: short });
    expect(await refusal(boss, name, each)).toContain(short);
    expect(await refusal(boss, short, each)).toContain('policy short');
  });

  // pg-boss 12 does not let a queue be its own.
  only10('refuses a queue that is its own dead-letter queue', async () => {
    const boss = await started();
    const { dead } = await queueOf(boss);
    await boss.updateQueue(dead, { name: dead, deadLetter: dead });
    expect(await refusal(boss, dead, [event(randomUUID())])).toContain('dead-letter queue');
  });

  it('refuses a queue that locks jobs for less time than is needed', async () => {
    const boss = await started();
    const { name } = await queueOf(boss, { expireInSeconds: 60 });
    const each = [event(randomUUID())];
    expect(await refusal(boss, name, each)).toContain('expireInSeconds of 60');
    await store(boss, name, each, { handlerTimeoutMs: 29_999 });
  });

  only10('refuses a queue of pg-boss 10 that keeps jobs for less time than is needed', async () => {
    const boss = await started();
    const { name } = await queueOf(boss, { retentionMinutes: 60 });
    const each = [event(randomUUID())];
    expect(await refusal(boss, name, each)).toContain('retentionMinutes of 60: set it to 10080');
    await store(boss, name, each, { retentionMs: 60 * minute });
  });

  it('has the jobs of dead workers expire soon after their handlers would be done', async () => {
    const boss = await started(isPgBoss12 ? {} : { expireInHours: 2 });
    const expiryOf = async (queue: Settings, given: PgBossEnqueueOptions) => {
      const { name } = await queueOf(boss, queue);
      await store(boss, name, [event(randomUUID())], given);
      return Number((await boss.fetch(name))[0]?.expireInSeconds);
    };
    expect(await expiryOf({}, {})).toBe(90);
    expect(await expiryOf({}, { handlerTimeoutMs: 500 })).toBe(2);
    expect(await expiryOf({ expireInSeconds: 61 }, {})).toBe(61);
  });

  only12('keeps what is done for as long as retentionMs, or longer where the queue does', async () => {
    const boss = await started();
    const keptFor = async (deleteAfterSeconds: number, retentionMs: number) => {
      const { name } = await queueOf(boss, { deleteAfterSeconds } as Settings);
      const each = event(randomUUID());
      await store(boss, name, [each], { retentionMs });
      return Object(await boss.getJobById(name, each.id)).deleteAfterSeconds;
    };
    expect(await keptFor(60, 61 * minute)).toBe(61 * 60);
    expect(await keptFor(61 * 60, minute)).toBe(61 * 60);
    expect(await keptFor(0, minute)).toBe(0);
    expect(await keptFor(60, Number.MAX_SAFE_INTEGER)).toBe(2 ** 31 - 1);
  });

  it('takes a PgBoss over a connection of yours, and stores what is new in one statement', async () => {
    const pool = new Pool({ connectionString: server.url });
    onTestFinished(() => pool.end());
    const statements: string[] = [];
    const executeSql = async (text: string, values: unknown[]) => {
      statements.push(text);
      return { rows: (await pool.query(text, values)).rows };
    };
    const boss = await started({ db: { executeSql } });
    const { name } = await queueOf(boss);
    const each = [event(randomUUID()), event(randomUUID())];
    await store(boss, name, each.slice(1));
    await store(boss, name, each);
    expect(statements.filter((text) => /^\s*(WITH .*)?INSERT INTO \S+job/is.test(text)).length).toBe(2);
    expect(await queueSize(boss, name)).toBe(2);
  });

  it('rejects when the queue goes away or changes later, and stores nothing silently nowhere', async () => {
    const boss = await started();
    const { name, dead } = await queueOf(boss);
    const enqueue = pgBossEnqueue(boss, name);
    const given = (...ids: string[]) => {
      const context = { idempotencyKeys: ids, timestamp: '1', signal: new AbortController().signal };
      return [ids.map((id) => event(id)), context] as const;
    };
    const recreate = async (policy: 'short' | 'standard') => {
      if (!isPgBoss12) return boss.updateQueue(name, { name, policy });
      // It does not change the policy of a queue.
      await boss.deleteQueue(name);
      await boss.createQueue(name, { name, deadLetter: dead, policy });
    };
    await enqueue(...given('a'));
    await recreate('short');
    await expect(enqueue(...given('b', 'c'))).rejects.toThrow('1 of 2');
    await expect(enqueue(...given('b', 'c'))).rejects.toThrow(ConfigError);
    await recreate('standard');
    await enqueue(...given('b', 'c'));
    await enqueue(...given('c', 'd'));
    expect(await queueSize(boss, name)).toBe(isPgBoss12 ? 3 : 4);
    if (!isPgBoss12) await boss.purgeQueue(name);
    await boss.deleteQueue(name);
    await expect(enqueue(...given('e'))).rejects.toThrow(isPgBoss12 ? 'does not exist' : '1 of 1');
    await expect(enqueue(...given('e'))).rejects.toThrow('does not exist');
  });

  only10(
    'does not store an event again whose job was done and archived, but one that was archived undone',
    async () => {
      const boss = await started({ archiveCompletedAfterSeconds: 1, schema: 'archiving' });
      const { name } = await queueOf(boss);
      const [done, undone] = [event(randomUUID()), event(randomUUID())];
      await store(boss, name, [done]);
      const fetched = await boss.fetch(name);
      await boss.complete(
        name,
        fetched.map(({ id }) => id),
      );
      const keepUntil = new Date(0);
      await boss.insert([{ id: undone.id, name, data: job(undone), keepUntil }]);
      const archived = () => boss.getJobById(name, done.id, { includeArchive: false });
      await eventually(async () => {
        await maintain(boss);
        expect([await archived(), await queueSize(boss, name)]).toEqual([null, 0]);
      });
      await store(boss, name, [done, undone]);
      expect((await boss.fetch(name, { batchSize: 9 })).map(({ id }) => id)).toEqual([undone.id]);
    },
  );

  it('does not store an event again, whatever became of its job', async () => {
    const boss = await started();
    const { name, dead } = await queueOf(boss);
    const events = Array.from({ length: 5 }, () => event(randomUUID()));
    await store(boss, name, events, { attempts: 1 });
    const [completed, failed, cancelled] = (await boss.fetch(name, { batchSize: 4 })).map(({ id }) => id);
    await boss.complete(name, completed ?? '');
    await boss.fail(name, failed ?? '');
    await boss.cancel(name, cancelled ?? '');
    const states = () =>
      Promise.all(events.map(async ({ id }) => String((await boss.getJobById(name, id))?.state))).then((all) =>
        all.sort(),
      );
    const expected = ['active', 'cancelled', 'completed', 'created', 'failed'];
    expect(await states()).toEqual(expected);
    await store(boss, name, events);
    expect(await states()).toEqual(expected);
    expect([await queueSize(boss, name), await queueSize(boss, dead)]).toEqual([1, 1]);
  });

  it('keeps an event that nobody works on, however long the queue keeps others', async () => {
    const boss = await started();
    const { name } = await queueOf(boss, { retentionMinutes: 7 * 24 * 60 });
    const each = event(randomUUID());
    await store(boss, name, [each]);
    const stored = await boss.getJobById(name, each.id);
    expect(Number(stored?.keepUntil) - Date.now()).toBeGreaterThan(9 * 365 * 86_400_000);
  });

  it('stores in the schema of the PgBoss', async () => {
    const [boss, tenant] = [await started(), await started({ schema: 'tenant' })];
    const { name, dead } = await queueOf(boss);
    await tenant.createQueue(dead);
    await tenant.createQueue(name, { name, deadLetter: dead });
    const each = [event(randomUUID())];
    await store(boss, name, each);
    await store(tenant, name, each);
    await store(tenant, name, each);
    expect([await queueSize(boss, name), await queueSize(tenant, name)]).toEqual([1, 1]);
  });

  it('acknowledges nothing while the PgBoss is not started or was stopped, and says so', async () => {
    const boss = await started();
    const { name } = await queueOf(boss);
    const enqueue = pgBossEnqueue(boss, name);
    const given = { idempotencyKeys: ['a'], timestamp: '1', signal: new AbortController().signal };
    await enqueue([event('a')], given);
    await boss.stop({ graceful: false });
    await expect(enqueue([event('a')], given)).rejects.toThrow();
    await expect(enqueue([event('a')], given)).rejects.toThrow(/start\(\)/);
    const other = pgBossEnqueue(unstarted({ connectionString: server.url }), name);
    await expect(other([event('a')], given)).rejects.toThrow(/start\(\)/);
  });

  describe('the worker', () => {
    const batch = (name: string, ...data: unknown[]) =>
      data.map((each) => ({ id: randomUUID(), name, data: each, expireInSeconds: 900 }));

    it('refuses a batch that it cannot settle one by one', async () => {
      const worker = pgBossWorker(() => {});
      await expect(worker(batch('q', job(event('a')), job(event('b'))))).rejects.toThrow('option boss');
      await worker(batch('q', job(event('a'))));
    });

    it('refuses jobs that expire before their handler has to be done', async () => {
      const handled: string[] = [];
      const worker = pgBossWorker(({ id }) => handled.push(id), { handlerTimeoutMs: 450_000 });
      await expect(worker(batch('q', job(event('a'))))).rejects.toThrow(ConfigError);
      expect(handled).toEqual([]);
    });

    it('fails a job that is no event as any other when it has no PgBoss to dead-letter it with', async () => {
      await expect(pgBossWorker(() => {})(batch('q', { nothing: true }))).rejects.toThrow('idempotencyKey: expected');
    });

    it('fails a job that is no event when there is no dead-letter queue, or none that takes it', async () => {
      const boss = await started();
      const { name, dead } = await queueOf(boss);
      const worker = pgBossWorker(() => {}, { boss });
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

    it('leaves one dead letter of a job that is no event when it has to do it again', async () => {
      const boss = await started();
      const { name, dead } = await queueOf(boss);
      const jobs = batch(name, { nothing: 1 });
      await pgBossWorker(() => {}, { boss })(jobs);
      await pgBossWorker(() => {}, { boss })(jobs);
      const [letter, ...more] = await boss.fetch(dead, { batchSize: 9 });
      expect(more).toEqual([]);
      expect(letter?.data).toMatchObject({ data: { nothing: 1 }, issues: [{ path: ['idempotencyKey'] }, {}, {}] });
    });

    it('completes what succeeded of a batch and fails the others alone, with their reasons', async () => {
      const boss = await started();
      const { name } = await queueOf(boss);
      const events = ['a', 'b', 'c'].map((id) => event(id));
      await store(boss, name, events, { attempts: 1 });
      const jobs = await boss.fetch(name, { batchSize: 3 });
      const worker = pgBossWorker(({ id }) => (id === 'b' ? undefined : Promise.reject(new Error(`boom ${id}`))), {
        boss,
      });
      await expect(worker(jobs)).rejects.toThrow(/boom [ac]\n.*boom [ac]/);
      const states = await Promise.all(jobs.map(({ id }) => boss.getJobById(name, id)));
      expect(states.map((each) => [Object(each?.data).idempotencyKey, each?.state]).sort()).toEqual([
        ['a', 'active'],
        ['b', 'completed'],
        ['c', 'active'],
      ]);
    });

    it('gives each job of a batch that failed its own reason, however long those of the others are', async () => {
      const boss = await started();
      const worker = pgBossWorker(({ id }) => Promise.reject(new Error(`boom ${id} ${'x'.repeat(5000)}`)), { boss });
      const jobs = batch('q', ...Array.from({ length: 20 }, (_, index) => job(event(`e${index}`))));
      const { message } = await worker(jobs).then(
        () => new Error(),
        (thrown: Error) => thrown,
      );
      for (const [index, { id }] of jobs.entries()) expect(message).toMatch(new RegExp(`job ${id}: .*boom e${index} `));
      expect(message.length).toBeLessThan(10_000);
    });

    it('refuses options that make no sense', () => {
      expect(() => Reflect.apply(pgBossWorker, undefined, [() => {}, { boss: {} }])).toThrow(ConfigError);
      expect(() => Reflect.apply(pgBossWorker, undefined, [undefined])).toThrow(ConfigError);
      expect(() => Reflect.apply(pgBossEnqueue, undefined, [{}, 'q'])).toThrow(ConfigError);
      expect(() => Reflect.apply(pgBossEnqueue, undefined, [{ insert() {} }, ''])).toThrow('name of a queue');
    });
  });
});
