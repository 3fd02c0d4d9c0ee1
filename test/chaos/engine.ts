import { createPostgresBackend, Queue } from 'bullmq';
import PgBoss from 'pg-boss';
import type { TestServer } from '../servers/server.js';
import type { Ledger } from './ledger.js';
import type { EngineName, ServerName } from './modes.js';

/** An engine, as who looks after it sees it. */
export interface Engine {
  /** How many jobs are neither done nor dead, by their state. */
  pending(): Promise<Readonly<Record<string, number>>>;
  dead(): Promise<number>;
  /** The largest number of jobs of one event that have yet to begin. (Default: the engine has one by its nature.) */
  copies?(): Promise<number>;
  close(): Promise<void>;
}

/** Makes the queue of a run, and what the engine needs for it. */
export async function openEngine(
  name: EngineName,
  run: string,
  handlerTimeoutMs: number,
  servers: Readonly<Record<ServerName, TestServer>>,
  ledger: Ledger,
): Promise<Engine> {
  if (name === 'pg-boss') return openPgBoss(run, (2 * handlerTimeoutMs) / 1000 + 1, servers.postgres.url, ledger);
  const queue =
    name === 'bullmq'
      ? new Queue(run, { connection: { url: servers.redis.url, retryStrategy: () => 50 } })
      : new Queue(
          run,
          { connection: { connectionString: servers.postgres.url, migrate: true, max: 2 } },
          createPostgresBackend,
        );
  // A killed server is what is expected here: the next question finds out.
  queue.on('error', () => {});
  await queue.waitUntilReady();
  return {
    async pending() {
      const { completed = 0, failed = 0, ...others } = await queue.getJobCounts();
      return others;
    },
    dead: async () => (await queue.getJobCounts('failed')).failed ?? 0,
    close: () => queue.close(),
  };
}

async function openPgBoss(run: string, expireInSeconds: number, url: string, ledger: Ledger): Promise<Engine> {
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false, max: 2 });
  boss.on('error', () => {});
  await boss.start();
  await boss.createQueue(`${run}-dead`);
  await boss.createQueue(run, { name: run, deadLetter: `${run}-dead`, expireInSeconds });
  const count = async (which: string) =>
    Number((await ledger.query(`SELECT count(*) FROM pgboss.job WHERE ${which}`))[0]?.count);
  return {
    async pending() {
      const perState = `SELECT state, count(*) AS jobs FROM pgboss.job WHERE name = '${run}' AND state < 'completed'
        GROUP BY state`;
      return Object.fromEntries((await ledger.query(perState)).map(({ state, jobs }) => [state, Number(jobs)]));
    },
    dead: () => count(`name = '${run}-dead'`),
    async copies() {
      const perKey = `SELECT count(*) AS jobs FROM pgboss.job WHERE name = '${run}' AND state = 'created'
        GROUP BY data->>'idempotencyKey'`;
      return Number((await ledger.query(`SELECT max(jobs) FROM (${perKey}) AS each`))[0]?.max ?? 0);
    },
    close: () => boss.stop({ graceful: false }),
  };
}
