import { createPostgresBackend, type Job, Queue, Worker } from 'bullmq';
import type PgBoss from 'pg-boss';
import { describe, expectTypeOf, test } from 'vitest';
import type { Finality } from '../../src/handle/before.js';
import { createReceiver, type EventContext, type WebhookEvent } from '../../src/index.js';
import {
  type BullmqJobLike,
  bullmqDeadLetters,
  bullmqEnqueue,
  bullmqWorker,
  type JobData,
} from '../../src/queues/bullmq/index.js';
import { pgBossWorker } from '../../src/queues/pg-boss/index.js';
import { type Transaction, transactional } from './transaction.js';

declare const boss: PgBoss;
declare const finality: Finality;
const secret = 'whsec-test';

test('bullmqEnqueue accepts a queue of either backend and any data type', () => {
  const connection = { connectionString: 'postgres://localhost' };
  createReceiver({ secret, enqueue: bullmqEnqueue({ queue: new Queue('q') }) });
  const typed = new Queue<JobData, void, string>('q', { connection: {} });
  createReceiver({ secret, enqueue: bullmqEnqueue({ queue: typed }) });
  const onPostgres = new Queue('q', { connection }, createPostgresBackend);
  createReceiver({ secret, enqueue: bullmqEnqueue({ queue: onPostgres }) });
  for (const queue of [typed, onPostgres]) bullmqDeadLetters({ queue });
  // @ts-expect-error unknown option
  bullmqEnqueue({ queue: new Queue('q'), retries: 3 });
  // @ts-expect-error the queue is an option
  bullmqEnqueue(new Queue('q'));
  // @ts-expect-error a queue is required
  bullmqEnqueue({});
});

describe('bullmqWorker', () => {
  test('is a processor for a Worker of either backend', () => {
    const connection = { connectionString: 'postgres://localhost' };
    const processor = bullmqWorker({ onEvent: () => {} });
    new Worker('q', processor, { connection: { host: 'localhost' } });
    new Worker<JobData, void>('q', processor, { connection: { host: 'localhost' } });
    new Worker('q', processor, { connection }, createPostgresBackend);
    expectTypeOf<Job>().toExtend<BullmqJobLike>();
  });

  test('gives the handler the transaction of the store, if there is one', () => {
    bullmqWorker({
      onEvent(event, context) {
        expectTypeOf(event).toEqualTypeOf<WebhookEvent>();
        expectTypeOf(context).toEqualTypeOf<EventContext>();
      },
    });
    bullmqWorker({ store: transactional, onEvent: (_, { tx }) => expectTypeOf(tx).toEqualTypeOf<Transaction>() });
    bullmqWorker({ store: false, onEvent: (_, { tx }) => expectTypeOf(tx).toEqualTypeOf<undefined>() });
    // @ts-expect-error without a store there is no transaction
    bullmqWorker({ onEvent: (_, { tx }: EventContext<Transaction>) => tx.query('') });
  });

  test('takes a finality', () => {
    const worker = bullmqWorker({ store: transactional, finality, onEvent: (_, { tx }) => tx.query('') });
    new Worker('q', worker, { connection: { host: 'localhost' } });
    pgBossWorker({ boss, store: transactional, finality, onEvent: (_, { tx }) => tx.query('') });
    // @ts-expect-error a finality is an object with before
    bullmqWorker({ store: transactional, finality: 'finalized', onEvent: () => {} });
  });
});

test('pgBossWorker gives the handler the transaction of the store, if there is one', () => {
  pgBossWorker({ boss, onEvent: (_, context) => expectTypeOf(context).toEqualTypeOf<EventContext>() });
  pgBossWorker({
    boss,
    store: transactional,
    onEvent: (_, { tx }) => expectTypeOf(tx).toEqualTypeOf<Transaction>(),
  });
  // @ts-expect-error without a store there is no transaction
  pgBossWorker({ boss, onEvent: (_, { tx }: EventContext<Transaction>) => tx.query('') });
  // @ts-expect-error a PgBoss is required
  pgBossWorker({ onEvent: () => {} });
});
