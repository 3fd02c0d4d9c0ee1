import { createPostgresBackend, type Job, Queue, Worker } from 'bullmq';
import type PgBoss from 'pg-boss';
import { describe, expectTypeOf, test } from 'vitest';
import { createReceiver, type EventContext, type IdempotencyStore, type WebhookEvent } from '../../src/index.js';
import { type BullmqJobLike, bullmqEnqueue, bullmqProcessor, type JobData } from '../../src/queues/bullmq/index.js';
import { type PgBossLike, type PgBossSettleLike, pgBossEnqueue, pgBossWorker } from '../../src/queues/pg-boss/index.js';

interface Transaction {
  query(sql: string): Promise<void>;
}
declare const transactional: IdempotencyStore<Transaction>;
declare const boss: PgBoss;
const secret = 'whsec-test';

describe('bullmqEnqueue', () => {
  test('takes a queue of either backend and of any type of data', () => {
    const connection = { connectionString: 'postgres://localhost' };
    createReceiver({ secret, enqueue: bullmqEnqueue(new Queue('q')) });
    createReceiver({ secret, enqueue: bullmqEnqueue(new Queue<JobData, void, string>('q', { connection: {} })) });
    createReceiver({ secret, enqueue: bullmqEnqueue(new Queue('q', { connection }, createPostgresBackend)) });
    // @ts-expect-error there is no such option
    bullmqEnqueue(new Queue('q'), { retries: 3 });
    // @ts-expect-error a queue is required
    bullmqEnqueue({});
  });
});

describe('bullmqProcessor', () => {
  test('is what a worker of either backend takes', () => {
    const connection = { connectionString: 'postgres://localhost' };
    const processor = bullmqProcessor(() => {});
    new Worker('q', processor, { connection: { host: 'localhost' } });
    new Worker<JobData, void>('q', processor, { connection: { host: 'localhost' } });
    new Worker('q', processor, { connection }, createPostgresBackend);
    expectTypeOf<Job>().toExtend<BullmqJobLike>();
  });

  test('gives a handler the transaction of the store, and none where there is none', () => {
    bullmqProcessor((event, context) => {
      expectTypeOf(event).toEqualTypeOf<WebhookEvent>();
      expectTypeOf(context).toEqualTypeOf<EventContext>();
    });
    bullmqProcessor((_, { tx }) => expectTypeOf(tx).toEqualTypeOf<Transaction>(), { store: transactional });
    bullmqProcessor((_, { tx }) => expectTypeOf(tx).toEqualTypeOf<undefined>(), { store: false });
    // @ts-expect-error no store, and so no transaction
    bullmqProcessor((_, { tx }: EventContext<Transaction>) => tx.query(''));
  });
});

describe('pgBossEnqueue', () => {
  test('takes a PgBoss', () => {
    expectTypeOf<PgBoss>().toExtend<PgBossLike>();
    expectTypeOf<PgBoss>().toExtend<PgBossSettleLike>();
    createReceiver({ secret, enqueue: pgBossEnqueue(boss, 'q', { retentionMs: 1000 }) });
    // @ts-expect-error the name of a queue is required
    pgBossEnqueue(boss);
  });
});

describe('pgBossWorker', () => {
  test('is what PgBoss takes, with or without metadata', async () => {
    const worker = pgBossWorker(() => {}, { boss });
    await boss.work('q', worker);
    await boss.work('q', { batchSize: 10 }, worker);
    await boss.work('q', { includeMetadata: true }, worker);
  });

  test('gives a handler the transaction of the store, and none where there is none', () => {
    pgBossWorker((_, context) => expectTypeOf(context).toEqualTypeOf<EventContext>());
    pgBossWorker((_, { tx }) => expectTypeOf(tx).toEqualTypeOf<Transaction>(), { store: transactional });
    // @ts-expect-error no store, and so no transaction
    pgBossWorker((_, { tx }: EventContext<Transaction>) => tx.query(''), { boss });
  });
});
