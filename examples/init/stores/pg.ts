// Each event takes effect once: what you write through `tx` commits together with the key of the event.
import { createReceiver } from 'event-webhook-receiver';
import { fromPg, sqlStore } from 'event-webhook-receiver/stores/sql';
import { Pool } from 'pg';

const pool = new Pool({ connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 5000 });
pool.on('error', (error) => console.error(error.message));
const store = sqlStore({ db: fromPg(pool), transactional: true });

/** Creates the tables: in a migration, or before the server starts. */
export async function migrate(): Promise<void> {
  await store.migrate();
  await pool.query('CREATE TABLE IF NOT EXISTS received_events (id text NOT NULL, kind text NOT NULL)');
}

export const receiver = createReceiver({
  secret: () => process.env.WEBHOOK_SECRET ?? '', // read for each delivery: a build has no secret
  store,
  logger: console,
  onEvent: async (event, { tx }) => {
    await tx.query('INSERT INTO received_events (id, kind) VALUES ($1, $2)', [event.id, event.event]);
  },
});

/** How often an event took effect. */
export async function effectsOf(id: string): Promise<number> {
  return (await pool.query('SELECT 1 FROM received_events WHERE id = $1', [id])).rowCount ?? 0;
}

export const close = () => pool.end();
