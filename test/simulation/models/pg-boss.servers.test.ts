import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import pg from 'pg';
import type PgBoss from 'pg-boss';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPgBoss12, maintain, startBoss } from '../../queues/boss.js';
import { hasPostgres, needsPostgres, startPostgres } from '../../servers/postgres.js';
import type { TestServer } from '../../servers/server.js';
import { type PgBossInsert, type PgBossJob, PgBossModel } from './pg-boss.js';

const START = Date.parse('2026-01-01T00:00:00Z');
const ARCHIVE_AFTER_SECONDS = 40;
const ids = [
  '00000000-0000-4000-8000-00000000000a',
  '00000000-0000-4000-8000-00000000000b',
  '00000000-0000-4000-8000-00000000000c',
];

const operation = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('insert' as const),
      id: fc.constantFrom(...ids),
      retryLimit: fc.integer({ min: 0, max: 2 }),
      retryDelay: fc.constantFrom(0, 10),
      retryBackoff: fc.boolean(),
      expireInSeconds: fc.constantFrom(30, undefined),
      startAfter: fc.constantFrom('5.5', undefined),
      keepSeconds: fc.constantFrom(100, undefined),
    }),
  },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('fetch' as const), batchSize: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constantFrom('complete' as const, 'fail' as const),
      which: fc.nat({ max: 4 }),
      isFenced: fc.boolean(),
    }),
  },
  fc.record({ op: fc.constant('maintain' as const) }),
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('pass' as const),
      ms: fc.constantFrom(1, 5500, 10_000, 20_000, 30_001, 70_000),
    }),
  },
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

/** pg-boss on a Postgres whose `now()` and `random()` are those of the test, and the model. */
class Both {
  readonly model: PgBossModel;
  /** The tries that workers got. */
  readonly #claims: PgBossJob[] = [];
  readonly #boss: PgBoss;
  readonly #pool: pg.Pool;
  readonly #queue = `q${randomUUID()}`;
  readonly #dead = `${this.#queue}-dead`;
  #now = START;
  #random = 0.25;

  constructor(boss: PgBoss, pool: pg.Pool) {
    this.#boss = boss;
    this.#pool = pool;
    this.model = new PgBossModel({
      ...{ version: isPgBoss12 ? 12 : 10, random: () => this.#random, uuid: randomUUID },
      ...{ archiveAfterSeconds: ARCHIVE_AFTER_SECONDS, deleteArchiveAfterSeconds: 60 },
    });
  }

  async open(): Promise<void> {
    await this.#setClock();
    const settings = { policy: 'standard', expireInSeconds: 50 } as const;
    await this.#boss.createQueue(this.#dead);
    await this.#boss.createQueue(this.#queue, { name: this.#queue, deadLetter: this.#dead, ...settings });
    this.model.createQueue({
      name: this.#dead,
      policy: 'standard',
      deadLetter: null,
      expireInSeconds: isPgBoss12 ? 900 : null,
    });
    this.model.createQueue({ name: this.#queue, deadLetter: this.#dead, ...settings });
  }

  /** Does it to both. Returns both answers. */
  async do(operation: Operation): Promise<readonly [real: unknown, model: unknown]> {
    const [boss, queue, now] = [this.#boss, this.#queue, this.#now];
    if (operation.op === 'insert') return this.#insert(operation);
    if (operation.op === 'fetch') {
      const { batchSize } = operation;
      const real = await boss.fetch(queue, { batchSize, includeMetadata: true });
      const model = this.model.fetch(queue, batchSize, now);
      this.#claims.push(...model);
      const answer = ({ id, retryCount }: { id: string; retryCount: number }) => `${id} try ${retryCount}`;
      return [real.map(answer).sort(), model.map(answer).sort()];
    }
    if (operation.op === 'complete' || operation.op === 'fail') {
      const claim = this.#claims.at(-1 - (operation.which % Math.max(1, this.#claims.length)));
      if (claim === undefined) return [undefined, undefined];
      const { id, retryCount } = claim;
      const isFenced = operation.isFenced && isPgBoss12;
      // pg-boss 12 takes a job that it fetched in place of an id.
      const whose = (isFenced ? [{ id, retryCount }] : id) as string;
      const claims = [isFenced ? { id, retryCount } : { id }];
      if (operation.op === 'complete') {
        const real: object = Object(await boss.complete(queue, whose));
        return [Reflect.get(real, 'affected'), this.model.complete(queue, claims, now)];
      }
      const real: object = Object(await boss.fail(queue, whose, new Error('boom')));
      return [Reflect.get(real, 'affected'), this.model.fail(queue, claims, 'boom', now)];
    }
    if (operation.op === 'maintain') {
      await this.#maintain();
      this.model.expire(now);
      this.model.archive(now);
      this.model.drop(now);
    }
    if (operation.op === 'pass') {
      this.#now += operation.ms;
      this.#random = (operation.ms % 4) / 4;
      await this.#setClock();
    }
    return [undefined, undefined];
  }

  async #insert(operation: Extract<Operation, { op: 'insert' }>) {
    if (isPgBoss12) {
      // Version 12 defines no order for jobs of the same moment.
      this.#now++;
      await this.#setClock();
    }
    const { op: _, keepSeconds, expireInSeconds, startAfter, ...options } = operation;
    const keptUntil = keepSeconds === undefined ? undefined : new Date(this.#now + keepSeconds * 1000).toISOString();
    const kept = isPgBoss12
      ? { ...(keepSeconds && { retentionSeconds: keepSeconds }), deleteAfterSeconds: ARCHIVE_AFTER_SECONDS }
      : { ...(keptUntil !== undefined && { keepUntil: keptUntil }) };
    const job: PgBossInsert = {
      ...{ ...options, ...kept, data: { json: operation.id } },
      ...(expireInSeconds !== undefined && { expireInSeconds }),
      ...(startAfter !== undefined && { startAfter }),
    };
    const model = this.model.insert(this.#queue, [job], this.#now);
    if (!isPgBoss12) {
      await this.#boss.insert([{ ...job, name: this.#queue } as PgBoss.JobInsert]);
      // Version 10 does not say what it has inserted.
      return [undefined, undefined] as const;
    }
    const insert = this.#boss.insert.bind(this.#boss) as unknown as (...args: unknown[]) => Promise<string[] | null>;
    return [(await insert(this.#queue, [job], { returnId: true })) ?? [], model] as const;
  }

  async #maintain(): Promise<void> {
    if (!isPgBoss12) await maintain(this.#boss);
    else {
      // Version 12 looks at a queue at most once in an interval.
      await this.#pool.query('UPDATE pgboss.queue SET monitor_on = NULL, maintain_on = NULL');
      await maintain(this.#boss);
    }
  }

  async #setClock(): Promise<void> {
    await this.#pool.query('UPDATE fake.clock SET at = $1, random = $2', [new Date(this.#now), this.#random]);
  }

  /** What both have stored. */
  async states(): Promise<readonly [real: unknown, model: unknown]> {
    const rows = async (table: string, name: string) => {
      const { rows } = await this.#pool.query(`SELECT * FROM pgboss.${table} WHERE name = $1`, [name]);
      return rows.map(describeRow).sort();
    };
    const jobs = async (name: string) => this.model.jobs(name).map(describeJob).sort();
    const archived = ids.flatMap((id) => this.model.archived(this.#queue, id) ?? []);
    return [
      [
        await rows('job', this.#queue),
        await rows('job', this.#dead),
        isPgBoss12 ? [] : await rows('archive', this.#queue),
      ],
      [await jobs(this.#queue), await jobs(this.#dead), archived.map(describeJob).sort()],
    ];
  }
}

const after = (time: number | undefined) => (time === undefined ? 'never' : (time - START) / 1000);
const timeOf = (value: unknown) => (value instanceof Date ? value.getTime() : undefined);

/** One line. The id of a dead letter is random. */
function describeJob(job: PgBossJob): string {
  const { id, state, retryCount, retryLimit, retryDelay, retryBackoff, expireInSeconds, output } = job;
  const who = ids.includes(id) ? id : 'dead letter';
  const times = [job.createdOn, job.startAfter, job.startedOn, job.completedOn, job.keepUntil].map(after);
  const retries = `${retryCount}/${retryLimit} ${retryDelay} ${retryBackoff} ${expireInSeconds}`;
  return `${job.data} ${who} ${state} ${retries} ${times} ${output}`;
}

function describeRow(row: Record<string, unknown>): string {
  const { expire_in: expiry, expire_seconds: seconds, output } = row;
  const { minutes = 0, seconds: rest = 0 } = Object(expiry);
  const failure: unknown = Object(output);
  const { message, value } = failure as { message?: string; value?: { message?: string } };
  return describeJob({
    ...{
      id: String(row.id),
      name: String(row.name),
      data: JSON.stringify(row.data),
      state: row.state as PgBossJob['state'],
    },
    ...{
      retryCount: Number(row.retry_count),
      retryLimit: Number(row.retry_limit),
      retryDelay: Number(row.retry_delay),
    },
    ...{ retryBackoff: row.retry_backoff === true, expireInSeconds: Number(seconds ?? minutes * 60 + rest) },
    ...{ deadLetter: null, deleteAfterSeconds: 0, output: message ?? value?.message },
    ...{ createdOn: timeOf(row.created_on) ?? 0, keepUntil: timeOf(row.keep_until) ?? 0 },
    ...{
      startAfter: timeOf(row.start_after) ?? 0,
      startedOn: timeOf(row.started_on),
      completedOn: timeOf(row.completed_on),
    },
  });
}

describe.skipIf(!hasPostgres)(`the pg-boss model${needsPostgres}`, () => {
  let server: TestServer;
  let pool: pg.Pool;
  let boss: PgBoss;
  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ connectionString: server.url, max: 1 }).on('error', () => {});
    await pool.query(`
      CREATE SCHEMA fake;
      CREATE TABLE fake.clock AS SELECT now() AS at, 0::float8 AS random;
      CREATE FUNCTION fake.now() RETURNS timestamptz LANGUAGE sql AS 'SELECT at FROM fake.clock';
      CREATE FUNCTION fake.random() RETURNS float8 LANGUAGE sql AS 'SELECT random FROM fake.clock'`);
    boss = await startBoss({
      ...{ connectionString: server.url, max: 1, options: '-c search_path=fake,pg_catalog,public' },
      ...(isPgBoss12 ? {} : { archiveCompletedAfterSeconds: ARCHIVE_AFTER_SECONDS, deleteAfterSeconds: 60 }),
    } as PgBoss.ConstructorOptions);
    // Version 12 asks a function for the time, which names pg_catalog.
    if (isPgBoss12) {
      await pool.query(`CREATE OR REPLACE FUNCTION pgboss.job_now() RETURNS timestamptz LANGUAGE sql STABLE
        AS 'SELECT at FROM fake.clock'`);
    }
  }, 60_000);
  afterAll(async () => {
    await boss.stop({ graceful: false });
    await pool.end();
    await server.stop();
  });

  it('answers and stores what pg-boss does, whatever the order of operations', async () => {
    const counts = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 30, maxLength: 60, size: 'max' }), async (operations) => {
        const both = new Both(boss, pool);
        await both.open();
        for (const each of operations) {
          const [real, model] = await both.do(each);
          expect(model, JSON.stringify(each)).toEqual(real);
          const [stored, modelled] = await both.states();
          expect(modelled, JSON.stringify(each)).toEqual(stored);
          const what = `${each.op}: ${typeof model === 'number' ? model : ''}`;
          counts.set(what, (counts.get(what) ?? 0) + 1);
        }
      }),
      { seed: 12, numRuns: isPgBoss12 ? 15 : 25, endOnFailure: true },
    );
    expect([...counts.keys()]).toEqual(expect.arrayContaining(['complete: 0', 'complete: 1', 'fail: 0', 'fail: 1']));
  }, 120_000);

  it('refuses what it does not know', () => {
    const model = new PgBossModel({ version: 10, random: () => 0, uuid: randomUUID });
    model.createQueue({ name: 'q', policy: 'standard', deadLetter: null, expireInSeconds: null });
    const insert = (queue: string, more: object) => () => model.insert(queue, [{ id: 'a', data: {}, ...more }], 0);
    expect(insert('q', { priority: 1 })).toThrow('The pg-boss model does not know the job option priority.');
    expect(insert('q', { startAfter: '2026-01-01' })).toThrow(
      'The pg-boss model does not know the startAfter 2026-01-01.',
    );
    expect(insert('other', {})).toThrow('The pg-boss model does not know the queue other.');
  });
});
