// Each event takes effect once: what you write through `tx` commits together with the key of the event.
import { eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { pgTable, text } from 'drizzle-orm/pg-core';
import { createReceiver } from 'event-webhook-receiver';
import { fromDrizzle, sqlStore } from 'event-webhook-receiver/stores/sql';
import { Pool } from 'pg';

const receivedEvents = pgTable('received_events', { id: text().notNull(), kind: text().notNull() });

const pool = new Pool({ connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 5000, max: 5 });
pool.on('error', (error) => console.error(error.message));
const db = drizzle(pool);
const store = sqlStore({ db: fromDrizzle(db), transactional: true });

/** Creates the tables: in a migration, or before the server starts. */
export async function migrate(): Promise<void> {
  await store.migrate();
  await db.execute(sql`CREATE TABLE IF NOT EXISTS received_events (id text NOT NULL, kind text NOT NULL)`);
}

export const receiver = createReceiver({
  secret: () => process.env.WEBHOOK_SECRET ?? '', // read for each delivery: a build has no secret
  store,
  logger: console,
  onEvent: async (event, { tx }) => {
    await tx.insert(receivedEvents).values({ id: event.id, kind: event.event });
  },
});

/** How often an event took effect. */
export const effectsOf = (id: string): Promise<number> => db.$count(receivedEvents, eq(receivedEvents.id, id));

export const close = () => pool.end();
