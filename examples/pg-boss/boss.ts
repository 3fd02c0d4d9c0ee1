import PgBoss from 'pg-boss';

export const queue = 'webhook-events';

/** A started pg-boss that has the queue, and another one for the events that could not be handled. */
export async function openBoss(): Promise<PgBoss> {
  const boss = new PgBoss({ connectionString: process.env.DATABASE_URL ?? '', deleteAfterDays: 8 });
  boss.on('error', (error) => console.error(error.message));
  await boss.start();
  await boss.createQueue(`${queue}-dead`);
  await boss.createQueue(queue, { name: queue, deadLetter: `${queue}-dead` });
  return boss;
}
