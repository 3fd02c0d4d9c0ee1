// Exactly once with Drizzle: `tx` is the Drizzle transaction that records the key.
import { createServer } from 'node:http';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { pgTable, serial, text } from 'drizzle-orm/pg-core';
import { createReceiver } from 'event-webhook-receiver';
import { nodeHandler } from 'event-webhook-receiver/node';
import { fromDrizzle, sqlStore } from 'event-webhook-receiver/stores/sql';
import { Pool } from 'pg';

const transfers = pgTable('transfers', {
  id: serial().primaryKey(),
  eventId: text('event_id').notNull(),
  name: text().notNull(),
});

const pool = new Pool({ connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 5000 });
pool.on('error', (error) => console.error(error.message));
const db = drizzle(pool);
const store = sqlStore({ db: fromDrizzle(db), transactional: true });
await store.migrate();
await db.execute(
  sql`CREATE TABLE IF NOT EXISTS transfers (id serial PRIMARY KEY, event_id text NOT NULL, name text NOT NULL)`,
);

const receiver = createReceiver({
  secret: process.env.WEBHOOK_SECRET ?? '',
  store,
  async onEvent(event, { tx }) {
    await tx.insert(transfers).values({ eventId: event.id, name: event.event });
  },
  onError: (error) => console.error(error.code, error.message, error.cause ?? ''),
});

const port = Number(process.env.PORT ?? 3000);
createServer(nodeHandler(receiver)).listen(port, () => console.log('listening on', port));
