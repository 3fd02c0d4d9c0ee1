import { createPostgresBackend, Queue, Worker } from 'bullmq';
import PgBoss from 'pg-boss';
import type { Enqueue, EventContext, WebhookEvent } from '../../../src/index.js';
import { bullmqEnqueue, bullmqWorker } from '../../../src/queues/bullmq/index.js';
import { pgBossEnqueue, pgBossWorker } from '../../../src/queues/pg-boss/index.js';
import { DRAIN_MS } from './shutdown.js';
import { settings } from './steps.js';
import { openWork } from './stores.js';

const { run, handlerTimeoutMs, mode } = settings;
/** Enough tries to survive every kill, without delay. */
const tries = { attempts: 200, backoffMs: 0 };
/** BullMQ gives the jobs of a dead worker to another soon, however often workers die. */
const workerOptions = { lockDuration: 1000, stalledInterval: 500, maxStalledCount: 100, drainDelay: 1, concurrency: 8 };
/** Replaces a connection that does not answer: no command here takes longer than a second. */
const onRedis = { url: settings.redisUrl, retryStrategy: () => 50, socketTimeout: 2500 };
const onPostgres = { connectionString: settings.postgresUrl, max: 6 };
const report = (error: Error) => void console.error('engine:', error.message);

async function startBoss(supervise: boolean): Promise<PgBoss> {
  const boss = new PgBoss({
    connectionString: settings.postgresUrl,
    max: 6,
    schedule: false,
    migrate: false,
    supervise,
    maintenanceIntervalSeconds: 1,
  });
  boss.on('error', report);
  // Not retried: a PgBoss that failed to start once claims to have started. The process ends and is replaced.
  await boss.start();
  return boss;
}

/** The enqueue of a receiver in front of an engine. */
export async function openEnqueue(): Promise<Enqueue> {
  if (mode.engine === 'pg-boss') {
    return pgBossEnqueue({ boss: await startBoss(false), queue: run, ...tries, handlerTimeoutMs });
  }
  const queue =
    mode.engine === 'bullmq'
      ? new Queue(run, { connection: { ...onRedis, maxRetriesPerRequest: 1 } })
      : new Queue(run, { connection: onPostgres }, createPostgresBackend);
  queue.on('error', report);
  await queue.waitUntilReady();
  return bullmqEnqueue({ queue, ...tries });
}

/** Starts a worker. Resolves to a function that stops it once the jobs under way are complete. */
export async function startWorker(): Promise<() => Promise<unknown>> {
  const { store, handle } = await openWork();
  const onEvent = ({ id }: WebhookEvent, context: EventContext) => handle([id], context);
  if (mode.engine === 'pg-boss') {
    const boss = await startBoss(true);
    const worker = pgBossWorker({ boss, onEvent, store, handlerTimeoutMs });
    for (let each = 0; each < 2; each++) {
      await boss.work(run, { batchSize: 10, pollingIntervalSeconds: 0.5 }, worker);
    }
    return () => boss.stop({ graceful: true, wait: true, timeout: DRAIN_MS });
  }
  const processor = bullmqWorker({ onEvent, store, handlerTimeoutMs });
  const worker =
    mode.engine === 'bullmq'
      ? new Worker(run, processor, { ...workerOptions, connection: { ...onRedis, maxRetriesPerRequest: null } })
      : new Worker(run, processor, { ...workerOptions, connection: onPostgres }, createPostgresBackend);
  worker.on('error', report);
  await worker.waitUntilReady();
  return () => worker.close();
}
