// Exactly once with TypeORM: `tx` is the EntityManager of the transaction that records the key.
import { createServer } from 'node:http';
import { createReceiver } from 'event-webhook-receiver';
import { nodeHandler } from 'event-webhook-receiver/node';
import { fromTypeOrm, sqlStore } from 'event-webhook-receiver/stores/sql';
import { DataSource, EntitySchema } from 'typeorm';

interface Transfer {
  id: number;
  eventId: string;
  name: string;
}

const Transfers = new EntitySchema<Transfer>({
  name: 'transfers',
  columns: {
    id: { type: 'int', primary: true, generated: true },
    eventId: { type: 'text', name: 'event_id' },
    name: { type: 'text' },
  },
});

const source = new DataSource({
  type: 'postgres',
  url: process.env.DATABASE_URL ?? '',
  connectTimeoutMS: 5000,
  entities: [Transfers],
});
await source.initialize();
const store = sqlStore({ db: fromTypeOrm(source), transactional: true });
await store.migrate();
await source.query(
  'CREATE TABLE IF NOT EXISTS transfers (id serial PRIMARY KEY, event_id text NOT NULL, name text NOT NULL)',
);

const receiver = createReceiver({
  secret: process.env.WEBHOOK_SECRET ?? '',
  store,
  async onEvent(event, { tx }) {
    await tx.getRepository(Transfers).insert({ eventId: event.id, name: event.event });
  },
  onError: (error) => console.error(error.code, error.message, error.cause ?? ''),
});

const port = Number(process.env.PORT ?? 3000);
createServer(nodeHandler(receiver)).listen(port, () => console.log('listening on', port));
