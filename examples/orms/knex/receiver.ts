// Exactly once with Knex: `tx` is the Knex transaction that records the key.
import { createServer } from 'node:http';
import { createReceiver } from 'event-webhook-receiver';
import { nodeHandler } from 'event-webhook-receiver/node';
import { fromKnex, sqlStore } from 'event-webhook-receiver/stores/sql';
import createKnex from 'knex';

const knex = createKnex({
  client: 'pg',
  connection: { connectionString: process.env.DATABASE_URL ?? '', connectionTimeoutMillis: 5000 },
  pool: { min: 0, max: 10 },
});
const store = sqlStore({ db: fromKnex(knex), transactional: true });
await store.migrate();
if (!(await knex.schema.hasTable('transfers'))) {
  await knex.schema.createTable('transfers', (table) => {
    table.increments();
    table.text('event_id').notNullable();
    table.text('name').notNullable();
  });
}

const receiver = createReceiver({
  secret: process.env.WEBHOOK_SECRET ?? '',
  store,
  async onEvent(event, { tx }) {
    await tx('transfers').insert({ event_id: event.id, name: event.event });
  },
  onError: (error) => console.error(error.code, error.message, error.cause ?? ''),
});

const port = Number(process.env.PORT ?? 3000);
createServer(nodeHandler(receiver)).listen(port, () => console.log('listening on', port));
