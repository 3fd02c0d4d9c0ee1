import { createPostgresBackend, Queue } from 'bullmq';
import PgBoss from 'pg-boss';
import type { TestServer } from '../servers/server.js';
import type { Ledger } from './ledger.js';
import type { EngineName, ServerName } from './modes.js';

/** An engine, as who looks after it sees it. */
export interface Engine {
  /** How many jobs are neither done nor dead. */
  pending(): Promise<number>;
  dead(): Promise<number>;
  close(): Promise<void>;
}

/** Makes the queue of a run, and what the engine needs for it. */
export async function openEngine(
  name: EngineName,
  run: string,
  servers: Readonly<Record<ServerName, TestServer>>,
  ledger: Ledger,
): Promise<Engine> {
  if (name === 'pg-boss') return openPgBoss(run, servers.postgres.url, ledger);
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
      return Object.values(others).reduce((sum, count) => sum + count, 0);
    },
    dead: async () => (await queue.getJobCounts('failed')).failed ?? 0,
    close: () => queue.close(),
  };
}

async function openPgBoss(run: string, url: string, ledger: Ledger): Promise<Engine> {
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false, max: 2 });
  boss.on('error', () => {});
  await boss.start();
  await boss.createQueue(`${run}-dead`);
  await boss.createQueue(run, { name: run, deadLetter: `${run}-dead`, expireInSeconds: 3 });
  const count = async (which: string) =>
    Number((await ledger.query(`SELECT count(*) FROM pgboss.job WHERE ${which}`))[0]?.count);
  return {
    pending: () => count(`name = '${run}' AND state < 'completed'`),
    dead: () => count(`name = '${run}-dead'`),
    close: () => boss.stop({ graceful: false }),
  };
}
