// Each event takes effect once: what you write through `tx` commits together with the key of the event.
import { createReceiver } from 'event-webhook-receiver';
import { fromMysql2, sqlStore } from 'event-webhook-receiver/stores/sql';
import { createPool, type RowDataPacket } from 'mysql2/promise';

const pool = createPool({ uri: process.env.DATABASE_URL ?? '', connectTimeout: 5000 });
const store = sqlStore({ db: fromMysql2(pool), transactional: true });

/** Creates the tables: in a migration, or before the server starts. */
export async function migrate(): Promise<void> {
  await store.migrate();
  await pool.query('CREATE TABLE IF NOT EXISTS received_events (id VARCHAR(200) NOT NULL, kind VARCHAR(40) NOT NULL)');
}

export const receiver = createReceiver({
  secret: () => process.env.WEBHOOK_SECRET ?? '', // read for each delivery: a build has no secret
  store,
  logger: console,
  onEvent: async (event, { tx }) => {
    await tx.query('INSERT INTO received_events (id, kind) VALUES (?, ?)', [event.id, event.event]);
  },
});

/** How often an event took effect. */
export async function effectsOf(id: string): Promise<number> {
  const [rows] = await pool.query<RowDataPacket[]>('SELECT 1 FROM received_events WHERE id = ?', [id]);
  return rows.length;
}

export const close = () => pool.end();
