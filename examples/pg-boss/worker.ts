// Handles each event that receiver.ts has stored exactly once: pg-boss runs a job again when a worker dies, and the
// transactional store commits the handler's writes and the event's key together or not at all.
import { pgBossWorker } from 'event-webhook-receiver/queues/pg-boss';
import { fromPg, sqlStore } from 'event-webhook-receiver/stores/sql';
import { Pool } from 'pg';
import { openBoss, queue } from './boss.js';

const pool = new Pool({ connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 5000 });
pool.on('error', (error) => console.error(error.message));
const store = sqlStore({ db: fromPg(pool), transactional: true });
await store.migrate();
await pool.query('CREATE TABLE IF NOT EXISTS handled (event_id text)');

const boss = await openBoss();
const worker = pgBossWorker({
  boss,
  store,
  async onEvent(event, { tx }) {
    await tx.query('INSERT INTO handled (event_id) VALUES ($1)', [event.id]);
    console.log('took effect:', event.id);
  },
});
await boss.work(queue, { batchSize: 10, pollingIntervalSeconds: 0.5 }, worker);
console.log('listening for jobs');

process.once('SIGTERM', async () => {
  await boss.stop();
  await pool.end();
});
