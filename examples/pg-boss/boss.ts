import PgBoss from 'pg-boss';

export const queue = 'webhook-events';

/** Starts pg-boss 10, and creates the queue and its dead-letter queue. */
export async function openBoss(): Promise<PgBoss> {
  const connectionString = process.env.DATABASE_URL ?? '';
  // The maintenance finds the expired job of a dead worker, and the job runs again.
  const maintenanceIntervalSeconds = Number(process.env.MAINTENANCE_INTERVAL_SECONDS ?? 30);
  const boss = new PgBoss({ connectionString, deleteAfterDays: 8, maintenanceIntervalSeconds });
  boss.on('error', (error) => console.error(error.message));
  await boss.start();
  await boss.createQueue(`${queue}-dead`);
  await boss.createQueue(queue, { name: queue, deadLetter: `${queue}-dead` });
  return boss;
}
