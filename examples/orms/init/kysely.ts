// Each event takes effect once: what you write through `tx` commits together with the key of the event.
import { createReceiver } from 'event-webhook-receiver';
import { fromKysely, fromPg, sqlStore } from 'event-webhook-receiver/stores/sql';
import { Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';

interface Database {
  received_events: { id: string; kind: string };
}

const pool = new Pool({ connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 5000 });
pool.on('error', (error) => console.error(error.message));
const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
const store = sqlStore({ db: fromKysely(db, fromPg(pool)), transactional: true });

/** Creates the tables: in a migration, or before the server starts. */
export async function migrate(): Promise<void> {
  await store.migrate();
  await db.schema
    .createTable('received_events')
    .ifNotExists()
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .execute();
}

export const receiver = createReceiver({
  secret: () => process.env.WEBHOOK_SECRET ?? '', // read for each delivery: a build has no secret
  store,
  logger: console,
  onEvent: async (event, { tx }) => {
    await tx.insertInto('received_events').values({ id: event.id, kind: event.event }).execute();
  },
});

/** How often an event took effect. */
export async function effectsOf(id: string): Promise<number> {
  return (await db.selectFrom('received_events').select('id').where('id', '=', id).execute()).length;
}

export const close = () => db.destroy();
