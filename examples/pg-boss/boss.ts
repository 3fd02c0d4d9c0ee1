import PgBoss from 'pg-boss';

export const queue = 'webhook-events';

/** A started pg-boss 10 that has the queue, and another one for the events that could not be handled. */
export async function openBoss(): Promise<PgBoss> {
  const connectionString = process.env.DATABASE_URL ?? '';
  // The job of a worker that died runs again when this maintenance finds it expired.
  const boss = new PgBoss({ connectionString, deleteAfterDays: 8, maintenanceIntervalSeconds: 30 });
  boss.on('error', (error) => console.error(error.message));
  await boss.start();
  await boss.createQueue(`${queue}-dead`);
  await boss.createQueue(queue, { name: queue, deadLetter: `${queue}-dead` });
  return boss;
}
