// Exactly once with Kysely: `tx` is the Kysely transaction that records the key.
import { createServer } from 'node:http';
import { createReceiver } from 'event-webhook-receiver';
import { nodeHandler } from 'event-webhook-receiver/node';
import { fromKysely, fromPg, sqlStore } from 'event-webhook-receiver/stores/sql';
import { type Generated, Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';

interface Database {
  transfers: { id: Generated<number>; event_id: string; name: string };
}

const pool = new Pool({ connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 5000 });
pool.on('error', (error) => console.error(error.message));
const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
const store = sqlStore({ db: fromKysely(db, fromPg(pool)), transactional: true });
await store.migrate();
await db.schema
  .createTable('transfers')
  .ifNotExists()
  .addColumn('id', 'serial', (column) => column.primaryKey())
  .addColumn('event_id', 'text', (column) => column.notNull())
  .addColumn('name', 'text', (column) => column.notNull())
  .execute();

const receiver = createReceiver({
  secret: process.env.WEBHOOK_SECRET ?? '',
  store,
  async onEvent(event, { tx }) {
    await tx.insertInto('transfers').values({ event_id: event.id, name: event.event }).execute();
  },
  onError: (error) => console.error(error.code, error.message, error.cause ?? ''),
});

const port = Number(process.env.PORT ?? 3000);
createServer(nodeHandler(receiver)).listen(port, () => console.log('listening on', port));
