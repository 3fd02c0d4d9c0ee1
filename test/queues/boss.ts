import type PgBoss from 'pg-boss';

// pg-boss 10 by default; `npm run test:peers` puts 12 in its place, whose types are looked at in test/peers.
const module: { readonly default?: typeof PgBoss; readonly PgBoss?: typeof PgBoss } = await import('pg-boss');

/** Whether the tests run with pg-boss 12. */
export const isPgBoss12 = module.PgBoss !== undefined;

/** One that does nothing by itself. */
export function unstarted(options: PgBoss.ConstructorOptions): PgBoss {
  const Boss = (module.PgBoss ?? module.default) as typeof PgBoss;
  // The shortest interval at which pg-boss 12 looks after a queue.
  const soon = isPgBoss12 ? { monitorIntervalSeconds: 1, maintenanceIntervalSeconds: 1 } : {};
  return new Boss({ supervise: false, schedule: false, ...soon, ...options }).on('error', () => {});
}

export async function startBoss(options: PgBoss.ConstructorOptions): Promise<PgBoss> {
  const boss = unstarted(options);
  await boss.start();
  return boss;
}

/** Has jobs expire, and removes those that are old, as a `PgBoss` that supervises does from time to time. */
export async function maintain(boss: PgBoss & { supervise?: () => Promise<void> }): Promise<void> {
  if (boss.supervise) await boss.supervise();
  else await boss.maintain();
}

/** How many jobs wait. */
export async function queueSize(boss: PgBoss & { findJobs?: FindJobs }, name: string): Promise<number> {
  if (!boss.findJobs) return boss.getQueueSize(name);
  return (await boss.findJobs(name, { queued: true })).length;
}

type FindJobs = (name: string, options: { queued: boolean }) => Promise<readonly unknown[]>;
