// Each event takes effect once: what you write through `tx` commits together with the key of the event.
import { createReceiver } from 'event-webhook-receiver';
import { fromKnex, sqlStore } from 'event-webhook-receiver/stores/sql';
import createKnex from 'knex';

const knex = createKnex({
  client: 'pg',
  connection: { connectionString: process.env.DATABASE_URL ?? '', connectionTimeoutMillis: 5000 },
  pool: { min: 0, max: 10 },
});
const store = sqlStore({ db: fromKnex(knex), transactional: true });

/** Creates the tables: in a migration, or before the server starts. */
export async function migrate(): Promise<void> {
  await store.migrate();
  await knex.raw('CREATE TABLE IF NOT EXISTS received_events (id text NOT NULL, kind text NOT NULL)');
}

export const receiver = createReceiver({
  secret: () => process.env.WEBHOOK_SECRET ?? '', // read for each delivery: a build has no secret
  store,
  logger: console,
  onEvent: async (event, { tx }) => {
    await tx('received_events').insert({ id: event.id, kind: event.event });
  },
});

/** How often an event took effect. */
export async function effectsOf(id: string): Promise<number> {
  return (await knex('received_events').where({ id })).length;
}

export const close = () => knex.destroy();
