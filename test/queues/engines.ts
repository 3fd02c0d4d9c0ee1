import { createPostgresBackend, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { Enqueue } from '../../src/index.js';
import {
  bullmqEnqueue,
  bullmqWorker,
  bullmqWorkerOptions,
  type EnqueueOptions,
  type EventWorkerOptions,
} from '../../src/queues/bullmq/index.js';
import { pgBossEnqueue, pgBossWorker } from '../../src/queues/pg-boss/index.js';
import { maintain, startBoss } from './boss.js';

export type OnEvent<Tx = undefined> = EventWorkerOptions<Tx>['onEvent'];
export type WorkOptions<Tx = undefined> = Omit<EventWorkerOptions<Tx>, 'onEvent'>;

/** A queue on some engine, with its own client. */
export interface EngineQueue {
  readonly enqueue: Enqueue;
  /** Every job of this queue, completed ones too. */
  jobs(): Promise<{ readonly id: string; readonly data: unknown }[]>;
  /** How many jobs are neither completed nor dead letters. */
  pending(): Promise<number>;
  deadLetters(): Promise<{ readonly data: unknown; readonly reason: string }[]>;
  /** Adds a job with other data, as another producer could. */
  add(data: object): Promise<void>;
  /** Starts a worker. */
  work<Tx>(onEvent: OnEvent<Tx>, options?: WorkOptions<Tx>): Promise<void>;
  /** Runs the engine's periodic maintenance now. */
  tick(): Promise<void>;
  close(): Promise<void>;
}

/** `lockMs`: how long a job stays with a worker of BullMQ that is dead. (Default: longer than a busy machine pauses.) */
export type OpenQueue = (url: string, name: string, options?: EnqueueOptions, lockMs?: number) => Promise<EngineQueue>;

const ignore = () => {};
const workerOptions = (lockDuration = 10_000) => ({
  ...bullmqWorkerOptions,
  lockDuration,
  stalledInterval: 100,
  drainDelay: 1,
  concurrency: 8,
});

/** Options that make a client fail and reconnect quickly. */
export function redisConnection(url: string) {
  return { url, maxRetriesPerRequest: 1, retryStrategy: () => 20 };
}

export const openBullmqRedis: OpenQueue = async (url, name, options, lockMs) => {
  const queue = new Queue(name, { connection: redisConnection(url) });
  const workers: Worker[] = [];
  return bullmqQueue(queue, options, {
    worker(processor) {
      const connection = { url, maxRetriesPerRequest: null, retryStrategy: () => 20 };
      workers.push(new Worker(name, processor, { ...workerOptions(lockMs), connection }).on('error', ignore));
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.close()));
    },
  });
};

/** On connections of the user's ioredis, whose version may differ from BullMQ's. */
export const openBullmqIoRedis: OpenQueue = async (url, name, options, lockMs) => {
  const connect = (maxRetriesPerRequest: number | null) =>
    new Redis(url, { maxRetriesPerRequest, retryStrategy: () => 20 }).on('error', ignore);
  const connection = connect(1);
  const connections = [connection];
  const queue = new Queue(name, { connection });
  const workers: Worker[] = [];
  return bullmqQueue(queue, options, {
    worker(processor) {
      const own = connect(null);
      connections.push(own);
      workers.push(new Worker(name, processor, { ...workerOptions(lockMs), connection: own }).on('error', ignore));
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.close()));
      for (const connection of connections) connection.disconnect();
    },
  });
};

export const openBullmqPostgres: OpenQueue = async (url, name, options, lockMs) => {
  const connection = { connectionString: url, migrate: true, max: 6 };
  const queue = new Queue(name, { connection }, createPostgresBackend);
  const workers: { close(): Promise<void> }[] = [];
  return bullmqQueue(queue, options, {
    worker(processor) {
      const worker = new Worker(name, processor, { ...workerOptions(lockMs), connection }, createPostgresBackend);
      workers.push(worker.on('error', ignore));
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.close()));
    },
  });
};

type BullmqQueue = Pick<Queue, 'add' | 'addBulk' | 'close' | 'defaultJobOptions' | 'getJobs' | 'getJobCounts'> & {
  on(event: 'error', listener: () => void): unknown;
};

function bullmqQueue(
  queue: BullmqQueue,
  options: EnqueueOptions | undefined,
  engine: { worker(processor: ReturnType<typeof bullmqWorker>): void; close(): Promise<void> },
): EngineQueue {
  queue.on('error', ignore);
  return {
    enqueue: bullmqEnqueue({ queue, ...options }),
    async jobs() {
      const jobs = await queue.getJobs();
      return jobs.map(({ id = '', data }) => ({ id, data }));
    },
    async pending() {
      const { completed = 0, failed = 0, ...others } = await queue.getJobCounts();
      return Object.values(others).reduce((sum, count) => sum + count, 0);
    },
    async deadLetters() {
      const jobs = await queue.getJobs('failed');
      return jobs.map(({ data, failedReason }) => ({ data, reason: failedReason }));
    },
    async add(data) {
      await queue.add('other', data, { attempts: 5 });
    },
    async work(onEvent, workOptions) {
      engine.worker(bullmqWorker({ onEvent, handlerTimeoutMs: 500, ...workOptions }));
    },
    tick: async () => {},
    async close() {
      await queue.close();
      await engine.close();
    },
  };
}

export const openPgBoss: OpenQueue = async (url, name, options) => {
  const boss = await startBoss({ connectionString: url, max: 6 });
  const dead = `${name}-dead`;
  await boss.createQueue(dead);
  await boss.createQueue(name, { name, deadLetter: dead, expireInSeconds: 2 });
  const select = async (text: string, values: unknown[]): Promise<Record<string, unknown>[]> =>
    (await boss.getDb().executeSql(text, values)).rows;
  const jobsOf = (queue: string) => select('SELECT * FROM pgboss.job WHERE name = $1', [queue]);
  return {
    enqueue: pgBossEnqueue({ boss, queue: name, handlerTimeoutMs: 500, ...options }),
    async jobs() {
      return (await jobsOf(name)).map(({ id, data }) => ({ id: String(id), data }));
    },
    async pending() {
      return (await jobsOf(name)).filter(({ state }) => ['created', 'retry', 'active'].includes(String(state))).length;
    },
    async deadLetters() {
      return (await jobsOf(dead)).map(({ data, output, source_output }) => {
        const { issues, data: original } = Object(data);
        return issues === undefined
          ? { data, reason: String(Object(output ?? source_output).message) }
          : { data: original, reason: JSON.stringify(issues) };
      });
    },
    async add(data) {
      await boss.send(name, data, { retryLimit: 4 });
    },
    async work(onEvent, workOptions) {
      const worker = pgBossWorker({ boss, onEvent, handlerTimeoutMs: 500, ...workOptions });
      await boss.work(name, { batchSize: 64, pollingIntervalSeconds: 0.5 }, worker);
    },
    tick: () => maintain(boss),
    close: () => boss.stop({ graceful: false }),
  };
};

/** Each by its name, which another process can be given. */
export const engines = { openBullmqRedis, openBullmqIoRedis, openBullmqPostgres, openPgBoss } as const;

/** Makes a table reject the jobs of events named `Unstorable`. Resolves to an undo. */
export async function refuseUnstorable(url: string, table: string): Promise<() => Promise<void>> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  await pool.query(`
    CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON ${table} FOR EACH ROW
      WHEN (NEW.data::text LIKE '%"Unstorable"%') EXECUTE FUNCTION refuse()`);
  return async () => {
    await pool.query(`DROP TRIGGER refuse ON ${table}`);
    await pool.end();
  };
}
