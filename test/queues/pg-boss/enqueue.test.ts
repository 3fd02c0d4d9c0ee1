import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigError } from '../../../src/index.js';
import { pgBossEnqueue } from '../../../src/queues/pg-boss/index.js';
import { context, entriesOf, jobOf } from '../../contracts/enqueue-helpers.js';
import { eventually } from '../../contracts/store-helpers.js';
import { event } from '../../helpers.js';
import { hasPostgres, needsPostgres } from '../../servers/postgres.js';
import { isPgBoss12, maintain, only10, only12, type QueueSettings, queueSize, unstarted, withBoss } from '../boss.js';

const minute = 60_000;

describe.skipIf(!hasPostgres)(
  `pgBossEnqueue and the settings of its queue${needsPostgres}`,
  { timeout: 30_000 },
  () => {
    const { server, started, queueOf, store } = withBoss();
    const refusal = async (...args: Parameters<typeof store>) => {
      const error = await store(...args).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ConfigError);
      return String(error);
    };

    it('refuses a queue until it exists', async () => {
      const boss = await started();
      const enqueue = pgBossEnqueue({ boss, queue: 'later' });
      const entries = entriesOf([event(randomUUID())]);
      await expect(enqueue(entries, context)).rejects.toThrow('createQueue');
      await boss.createQueue('later-dead');
      await boss.createQueue('later', { name: 'later', deadLetter: 'later-dead' });
      await enqueue(entries, context);
      expect(await queueSize(boss, 'later')).toBe(1);
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
      expect(await refusal(boss, short, each)).toContain("policy: 'standard'");
      expect(await queueSize(boss, short)).toBe(0);
    });

    // pg-boss 12 rejects this itself.
    only10('refuses a queue that is its own dead-letter queue', async () => {
      const boss = await started();
      const { dead } = await queueOf(boss);
      await boss.updateQueue(dead, { name: dead, deadLetter: dead });
      expect(await refusal(boss, dead, [event(randomUUID())])).toContain('dead-letter queue');
    });

    it('refuses a queue whose jobs expire too soon', async () => {
      const boss = await started();
      const { name } = await queueOf(boss, { expireInSeconds: 60 });
      const each = [event(randomUUID())];
      expect(await refusal(boss, name, each)).toContain('expireInSeconds of 60');
      await store(boss, name, each, { handlerTimeoutMs: 29_999 });
    });

    only10('refuses a queue of pg-boss 10 that does not keep jobs long enough', async () => {
      const boss = await started();
      const { name } = await queueOf(boss, { retentionMinutes: 60 });
      const each = [event(randomUUID())];
      expect(await refusal(boss, name, each)).toContain('retentionMinutes of 60. Set it to 10080');
      await store(boss, name, each, { retentionMs: 60 * minute });
    });

    it('makes the job of a dead worker expire soon after the timeout of its handler', async () => {
      const boss = await started(isPgBoss12 ? {} : { expireInHours: 2 });
      const expiryOf = async (queue: QueueSettings, given: Parameters<typeof store>[3]) => {
        const { name } = await queueOf(boss, queue);
        await store(boss, name, [event(randomUUID())], given);
        return Number((await boss.fetch(name))[0]?.expireInSeconds);
      };
      expect(await expiryOf({}, {})).toBe(90);
      expect(await expiryOf({}, { handlerTimeoutMs: 500 })).toBe(2);
      expect(await expiryOf({ expireInSeconds: 61 }, {})).toBe(61);
    });

    only12('keeps completed jobs for retentionMs, or longer if the queue does', async () => {
      const boss = await started();
      const keptFor = async (deleteAfterSeconds: number, retentionMs: number) => {
        const { name } = await queueOf(boss, { deleteAfterSeconds } as QueueSettings);
        const each = event(randomUUID());
        await store(boss, name, [each], { retentionMs });
        return Object(await boss.getJobById(name, each.id)).deleteAfterSeconds;
      };
      expect(await keptFor(60, 61 * minute)).toBe(61 * 60);
      expect(await keptFor(61 * 60, minute)).toBe(61 * 60);
      expect(await keptFor(0, minute)).toBe(0);
      expect(await keptFor(60, Number.MAX_SAFE_INTEGER)).toBe(2 ** 31 - 1);
    });

    it('accepts a PgBoss with your own database connection, and stores new events in one statement', async () => {
      const pool = new Pool({ connectionString: server().url });
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

    it('rejects when the queue is deleted or changed later, and never loses events silently', async () => {
      const boss = await started();
      const { name, dead } = await queueOf(boss);
      const enqueue = pgBossEnqueue({ boss, queue: name });
      const given = (...ids: string[]) => [entriesOf(ids.map((id) => event(id))), context] as const;
      const recreate = async (policy: 'short' | 'standard') => {
        if (!isPgBoss12) return boss.updateQueue(name, { name, policy });
        // pg-boss 12 cannot change the policy of a queue.
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

    only10('stores an event again if its job was archived before it ran, but not if it had completed', async () => {
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
      await boss.insert([{ id: undone.id, name, data: jobOf(undone), keepUntil }]);
      const archived = () => boss.getJobById(name, done.id, { includeArchive: false });
      await eventually(async () => {
        await maintain(boss);
        expect([await archived(), await queueSize(boss, name)]).toEqual([null, 0]);
      });
      await store(boss, name, [done, undone]);
      expect((await boss.fetch(name, { batchSize: 9 })).map(({ id }) => id)).toEqual([undone.id]);
    });

    it('does not store an event again, whatever the state of its job', async () => {
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

    it('rejects while the PgBoss is not started or was stopped, and says so', async () => {
      const boss = await started();
      const { name } = await queueOf(boss);
      const enqueue = pgBossEnqueue({ boss, queue: name });
      const entries = entriesOf([event('a')]);
      await enqueue(entries, context);
      await boss.stop({ graceful: false });
      await expect(enqueue(entries, context)).rejects.toThrow();
      await expect(enqueue(entries, context)).rejects.toThrow(/start\(\)/);
      const other = pgBossEnqueue({ boss: unstarted({ connectionString: server().url }), queue: name });
      await expect(other(entries, context)).rejects.toThrow(/start\(\)/);
    });
  },
);

it('pgBossEnqueue refuses wrong options, and names the option, the type it got and what it takes', () => {
  const boss = unstarted({ connectionString: 'postgres://localhost/nowhere' });
  const create = (options: unknown) => () => Reflect.apply(pgBossEnqueue, undefined, [options]);
  const refusal = (message: string) => expect.objectContaining({ code: 'ERR_WEBHOOK_CONFIG', message });
  expect(create(boss)).toThrow(refusal('`pgBossEnqueue` takes an options object: call pgBossEnqueue({ boss, … }).'));
  expect(create({ queue: 'q' })).toThrow(refusal('`boss` must be a PgBoss, got undefined.'));
  expect(create({ boss: {}, queue: 'q' })).toThrow(refusal('`boss` must be a PgBoss, got an object.'));
  expect(create({ boss, queue: '' })).toThrow(refusal('`queue` must be the name of a queue, got an empty string.'));
  expect(create({ boss, queue: 'q', name: 'q' })).toThrow(/has no option `name`/);
  expect(create({ boss, queue: 'q', handlerTimeoutMs: 0 })).toThrow(/^`handlerTimeoutMs` must be a number from 1/);
});
