// Each event takes effect once: what you write through `tx` commits together with the key of the event.
import { createReceiver } from 'event-webhook-receiver';
import { fromTypeOrm, sqlStore } from 'event-webhook-receiver/stores/sql';
import { DataSource, EntitySchema } from 'typeorm';

const ReceivedEvent = new EntitySchema<{ id: string; kind: string }>({
  name: 'received_events',
  columns: { id: { type: 'text', primary: true }, kind: { type: 'text' } },
});

const source = new DataSource({
  type: 'postgres',
  url: process.env.DATABASE_URL ?? '',
  connectTimeoutMS: 5000,
  entities: [ReceivedEvent],
});
const store = sqlStore({ db: fromTypeOrm(source), transactional: true });

/** Connects, and creates the tables. */
export async function migrate(): Promise<void> {
  if (!source.isInitialized) await source.initialize();
  await store.migrate();
  await source.query('CREATE TABLE IF NOT EXISTS received_events (id text PRIMARY KEY, kind text NOT NULL)');
}

export const receiver = createReceiver({
  secret: () => process.env.WEBHOOK_SECRET ?? '', // read for each delivery: a build has no secret
  store,
  logger: console,
  onEvent: async (event, { tx }) => {
    await tx.getRepository(ReceivedEvent).insert({ id: event.id, kind: event.event });
  },
});

/** How often an event took effect. */
export const effectsOf = (id: string): Promise<number> => source.getRepository(ReceivedEvent).countBy({ id });

export const close = () => source.destroy();
