import { randomUUID } from 'node:crypto';
import type PgBoss from 'pg-boss';
import { it, onTestFinished } from 'vitest';
import type { WebhookEvent } from '../../src/index.js';
import { type PgBossEnqueueOptions, pgBossEnqueue } from '../../src/queues/pg-boss/index.js';
import { context, entriesOf } from '../contracts/enqueue-helpers.js';
import { startPostgres } from '../servers/postgres.js';
import { useServer } from '../servers/use-server.js';

// pg-boss 10 by default; `npm run test:tier peers` replaces it by 12. test/peers checks the types of 12.
const module: { readonly default?: typeof PgBoss; readonly PgBoss?: typeof PgBoss } = await import('pg-boss');

/** Whether the tests run with pg-boss 12. */
export const isPgBoss12 = module.PgBoss !== undefined;

const only = (isThere: boolean) => (title: string, test: () => Promise<void>) => void (isThere && it(title, test));
/** A test of one version. */
export const [only10, only12] = [only(!isPgBoss12), only(isPgBoss12)];

/** A PgBoss without maintenance or schedules. */
export function unstarted(options: PgBoss.ConstructorOptions): PgBoss {
  const Boss = (module.PgBoss ?? module.default) as typeof PgBoss;
  // The shortest maintenance interval of pg-boss 12.
  const soon = isPgBoss12 ? { monitorIntervalSeconds: 1, maintenanceIntervalSeconds: 1 } : {};
  return new Boss({ supervise: false, schedule: false, ...soon, ...options }).on('error', () => {});
}

export async function startBoss(options: PgBoss.ConstructorOptions): Promise<PgBoss> {
  const boss = unstarted(options);
  await boss.start();
  return boss;
}

/** Expires jobs and removes old ones, as a supervising `PgBoss` does periodically. */
export async function maintain(boss: PgBoss & { supervise?: () => Promise<void> }): Promise<void> {
  if (boss.supervise) await boss.supervise();
  else await boss.maintain();
}

/** How many jobs are waiting. */
export async function queueSize(boss: PgBoss & { findJobs?: FindJobs }, name: string): Promise<number> {
  if (!boss.findJobs) return boss.getQueueSize(name);
  return (await boss.findJobs(name, { queued: true })).length;
}

type FindJobs = (name: string, options: { queued: boolean }) => Promise<readonly unknown[]>;

export type QueueSettings = Omit<PgBoss.Queue, 'name'>;

/** A Postgres for the tests of a describe, with what they need of pg-boss. */
export function withBoss() {
  const server = useServer(startPostgres);

  return {
    server,
    async started(options: PgBoss.ConstructorOptions = {}): Promise<PgBoss> {
      const boss = await startBoss({ connectionString: server().url, max: 3, ...options });
      onTestFinished(() => boss.stop({ graceful: false }));
      return boss;
    },
    async queueOf(boss: PgBoss, settings: QueueSettings = {}) {
      const name = `q${randomUUID()}`;
      const dead = `${name}-dead`;
      await boss.createQueue(dead);
      await boss.createQueue(name, { name, deadLetter: dead, ...settings });
      return { name, dead };
    },
    async store(
      boss: PgBoss,
      queue: string,
      events: readonly WebhookEvent[],
      options?: Omit<PgBossEnqueueOptions, 'boss' | 'queue'>,
    ): Promise<void> {
      await pgBossEnqueue({ boss, queue, ...options })(entriesOf(events), context);
    },
  };
}
