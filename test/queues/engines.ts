import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createPostgresBackend, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { ContractQueue, ContractSettings } from '../../devtools/src/queue-contract/index.js';
import {
  bullmqDeadLetters,
  bullmqEnqueue,
  bullmqWorker,
  bullmqWorkerOptions,
  type EnqueueOptions,
  type EventWorkerOptions,
  type QueueDeadLetters,
} from '../../src/queues/bullmq/index.js';
import { pgBossDeadLetters, pgBossEnqueue, pgBossWorker } from '../../src/queues/pg-boss/index.js';
import { isPgBoss12, maintain, startBoss } from './boss.js';
import { openTable } from './table-queue.js';

export type OnEvent<Tx = undefined> = EventWorkerOptions<Tx>['onEvent'];
export type WorkOptions<Tx = undefined> = Omit<EventWorkerOptions<Tx>, 'onEvent'>;

/** A queue on some engine, with its own client. */
export interface EngineQueue extends ContractQueue {
  work<Tx>(worker: EventWorkerOptions<Tx>): Promise<() => Promise<unknown>>;
  /** Absent in pg-boss 10. */
  readonly letters?: QueueDeadLetters | undefined;
  /** How many jobs are neither completed nor dead letters. */
  pending(): Promise<number>;
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
  return bullmqQueue(queue, options, (processor) => {
    const connection = { url, maxRetriesPerRequest: null, retryStrategy: () => 20 };
    return new Worker(name, processor, { ...workerOptions(lockMs), connection });
  });
};

/** On connections of the user's ioredis, whose version may differ from BullMQ's. */
export const openBullmqIoRedis: OpenQueue = async (url, name, options, lockMs) => {
  const connections: Redis[] = [];
  const connect = (maxRetriesPerRequest: number | null) => {
    const connection = new Redis(url, { maxRetriesPerRequest, retryStrategy: () => 20 }).on('error', ignore);
    connections.push(connection);
    return connection;
  };
  const queue = bullmqQueue(
    new Queue(name, { connection: connect(1) }),
    options,
    (processor) => new Worker(name, processor, { ...workerOptions(lockMs), connection: connect(null) }),
  );
  return {
    ...queue,
    async close() {
      await queue.close();
      for (const connection of connections) connection.disconnect();
    },
  };
};

export const openBullmqPostgres: OpenQueue = async (url, name, options, lockMs) => {
  const connection = { connectionString: url, migrate: true, max: 6 };
  return bullmqQueue(
    new Queue(name, { connection }, createPostgresBackend),
    options,
    (processor) => new Worker(name, processor, { ...workerOptions(lockMs), connection }, createPostgresBackend),
  );
};

type WithErrors = { on(event: 'error', listener: () => void): unknown } & Pick<Queue, 'waitUntilReady' | 'close'>;
type BullmqQueue = Pick<Queue, 'add' | 'addBulk' | 'defaultJobOptions' | 'getJobs' | 'getJobCounts'> & WithErrors;

function bullmqQueue(
  queue: BullmqQueue,
  options: EnqueueOptions | undefined,
  start: (processor: ReturnType<typeof bullmqWorker>) => WithErrors,
): EngineQueue {
  queue.on('error', ignore);
  const letters = bullmqDeadLetters({ queue });
  return {
    letters,
    enqueue: bullmqEnqueue({ queue, ...options }),
    async pending() {
      const { completed = 0, failed = 0, ...others } = await queue.getJobCounts();
      return Object.values(others).reduce((sum, count) => sum + count, 0);
    },
    deadLetters: () => deadMessages(letters),
    add: (text) => queue.add('other', parsed(text), { attempts: 5 }),
    async work(worker) {
      const started = start(bullmqWorker({ handlerTimeoutMs: 2000, ...worker }));
      started.on('error', ignore);
      // On Postgres, a worker that starts without a connection never gets one. Its process ends, and another starts.
      await started.waitUntilReady();
      return () => started.close();
    },
    close: () => queue.close(),
  };
}

/** The letters of a queue, as `queueContract` takes them. */
async function deadMessages(letters: QueueDeadLetters) {
  const { letters: found } = await letters.list({ limit: 1000 });
  return found.map((letter) => ({ text: JSON.stringify(letter), reason: letter.message }));
}

/** What another program may put in a job: a value, or text. */
function parsed(text: string): object {
  try {
    return JSON.parse(text);
  } catch {
    return { text };
  }
}

export const openPgBoss: OpenQueue = async (url, name, options) => {
  const boss = await startBoss({ connectionString: url, max: 6 });
  const dead = `${name}-dead`;
  await boss.createQueue(dead);
  await boss.createQueue(name, { name, deadLetter: dead, expireInSeconds: 2 });
  const jobsOf = async (queue: string): Promise<Record<string, unknown>[]> =>
    (await boss.getDb().executeSql('SELECT * FROM pgboss.job WHERE name = $1', [queue])).rows;
  const letters = isPgBoss12 ? pgBossDeadLetters({ boss, queue: name }) : undefined;
  const handlerTimeoutMs = 900;
  return {
    enqueue: pgBossEnqueue({ boss, queue: name, handlerTimeoutMs, ...options }),
    async pending() {
      return (await jobsOf(name)).filter(({ state }) => ['created', 'retry', 'active'].includes(String(state))).length;
    },
    letters,
    async deadLetters() {
      if (letters) return deadMessages(letters);
      return (await jobsOf(dead)).map(({ data, output }) => {
        return { text: JSON.stringify(data), reason: String(Object(data).failure ?? Object(output).message) };
      });
    },
    add: (text) => boss.send(name, parsed(text), { retryLimit: 4 }),
    async work(worker) {
      const ticking = setInterval(() => void maintain(boss).catch(ignore), 300);
      const run = pgBossWorker({ boss, handlerTimeoutMs, ...worker });
      await boss.work(name, { batchSize: 64, pollingIntervalSeconds: 0.5 }, run);
      return async () => {
        clearInterval(ticking);
        await boss.stop();
      };
    },
    close: () => boss.stop({ graceful: false }),
  };
};

/** The program without a long-lived worker, called again and again. */
export const openPgBossCron: OpenQueue = async (url, name, options) => {
  const { openQueue } = await import('../../examples/queues/pg-boss-cron.js');
  const [queue, { boss, drain }] = [await openPgBoss(url, name, options), await openQueue(url, name, 2)];
  return {
    ...queue,
    async work(worker) {
      let isOver = false;
      const calls = (async () => {
        while (!isOver) {
          await drain({ handlerTimeoutMs: 900, ...worker }, Date.now() + 200).catch(ignore);
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      })();
      return async () => {
        isOver = true;
        await calls;
      };
    },
    close: () => Promise.all([queue.close(), boss.stop({ graceful: false })]),
  };
};

/** Each by its name, which another process can be given. */
export const engines = { openBullmqRedis, openBullmqIoRedis, openBullmqPostgres, openPgBoss, openPgBossCron } as const;

type ExampleName = 'openNatsQueue' | 'openRabbitmqQueue';
export type EngineName = keyof typeof engines | ExampleName | 'openTable';
export const isExample = (name: EngineName): name is ExampleName =>
  name === 'openNatsQueue' || name === 'openRabbitmqQueue';

const examples = new URL('../../examples/queues/', import.meta.url);
/** The engines whose clients only examples/queues has. Its types stay there. */
export const hasExamples = existsSync(new URL('node_modules', examples));
export const testing: () => Promise<TestingModule> = () =>
  import(/* @vite-ignore */ fileURLToPath(new URL('testing/engines.ts', examples)));

interface TestingModule extends Record<ExampleName, OpenAt> {
  fillNats(url: string, name: string): Promise<() => Promise<unknown>>;
  openQstash(
    url: string,
    worker: EventWorkerOptions,
  ): Record<'receive' | 'handle', (request: Request) => Promise<Response>>;
}
type OpenAt = (url: string, name: string, settings: ContractSettings, lockMs?: number) => Promise<ContractQueue>;

/** The function that opens a queue of an engine. */
export async function opener(name: EngineName): Promise<OpenAt> {
  if (name === 'openTable') return (url, queue, settings) => openTable(url, queue, settings);
  return isExample(name) ? (await testing())[name] : engines[name];
}

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
