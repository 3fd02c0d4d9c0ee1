import type { Job } from 'bullmq';
import type PgBoss from 'pg-boss';
import type { Enqueue, EventContext, WebhookEvent } from '../../../src/index.js';
import { bullmqEnqueue, bullmqWorker } from '../../../src/queues/bullmq/index.js';
import { pgBossEnqueue, pgBossWorker } from '../../../src/queues/pg-boss/index.js';
import { DRAIN_MS } from './shutdown.js';
import { pass, settings } from './steps.js';
import type { openWork } from './stores.js';
import { idOfEvent } from './watched.js';

const { run, handlerTimeoutMs, mode } = settings;
type Work = Awaited<ReturnType<typeof openWork>>;
/** Enough tries to survive every kill, and for as long as a key is open, without delay. */
const tries = { attempts: 1000, backoffMs: 0 };
/** BullMQ gives the jobs of a dead worker to another soon, however often workers die. */
const workerOptions = { lockDuration: 1000, stalledInterval: 500, maxStalledCount: 100, drainDelay: 1, concurrency: 8 };
/** Replaces a connection that does not answer: no command here takes longer than a second. */
const onRedis = { url: settings.redisUrl, retryStrategy: () => 50, socketTimeout: 2500 };
const onPostgres = { connectionString: settings.postgresUrl, max: 6 };
const report = (error: Error) => void console.error('engine:', error.message);

async function startBoss(supervise: boolean): Promise<PgBoss> {
  const { default: PgBoss } = await import('pg-boss');
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
  const { createPostgresBackend, Queue } = await import('bullmq');
  const queue =
    mode.engine === 'bullmq'
      ? new Queue(run, { connection: { ...onRedis, maxRetriesPerRequest: 1 } })
      : new Queue(run, { connection: onPostgres }, createPostgresBackend);
  queue.on('error', report);
  await queue.waitUntilReady();
  return bullmqEnqueue({ queue, ...tries });
}

/** A processor whose delaying of a job can trigger a fault. */
function withSteps<J extends Job>(process: (job: J, token?: string) => Promise<void>): typeof process {
  return (job, token) => {
    const moveToDelayed = job.moveToDelayed.bind(job);
    job.moveToDelayed = async (...args) => {
      await moveToDelayed(...args);
      pass('after-wait');
    };
    return process(job, token);
  };
}

/** Starts a worker. Resolves to a function that stops it once the jobs under way are complete. */
export async function startWorker({ store, handle }: Work): Promise<() => Promise<unknown>> {
  const onEvent = (event: WebhookEvent, context: EventContext) => handle([idOfEvent(event, context)], context);
  const { openFinality } = mode.finality ? await import('./finality.js') : {};
  const finality = openFinality && { finality: openFinality() };
  if (mode.engine === 'pg-boss') {
    const boss = await startBoss(true);
    // A worker inserts the job of an event that is not final yet again, before it completes this one.
    const insert = boss.insert.bind(boss);
    boss.insert = async (jobs: PgBoss.JobInsert[]) => {
      await insert(jobs);
      pass('after-wait');
    };
    const worker = pgBossWorker({ boss, onEvent, store, handlerTimeoutMs, ...finality });
    for (let each = 0; each < 2; each++) {
      await boss.work(run, { batchSize: 10, pollingIntervalSeconds: 0.5 }, worker);
    }
    return () => boss.stop({ graceful: true, wait: true, timeout: DRAIN_MS });
  }
  const { createPostgresBackend, Worker } = await import('bullmq');
  const processor = withSteps(bullmqWorker({ onEvent, store, handlerTimeoutMs, ...finality }));
  const worker =
    mode.engine === 'bullmq'
      ? new Worker(run, processor, { ...workerOptions, connection: { ...onRedis, maxRetriesPerRequest: null } })
      : new Worker(run, processor, { ...workerOptions, connection: onPostgres }, createPostgresBackend);
  worker.on('error', report);
  await worker.waitUntilReady();
  return () => worker.close();
}
