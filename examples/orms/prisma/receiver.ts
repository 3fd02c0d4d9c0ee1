// Exactly once with Prisma: `tx` is the client of the transaction that records the key.
import { createServer } from 'node:http';
import { PrismaPg } from '@prisma/adapter-pg';
import { createReceiver } from 'event-webhook-receiver';
import { nodeHandler } from 'event-webhook-receiver/node';
import { fromPrisma, sqlStore } from 'event-webhook-receiver/stores/sql';
import { PrismaClient } from '../generated/postgres/index.js';

const adapter = new PrismaPg({
  connectionString: process.env.DATABASE_URL,
  connectionTimeoutMillis: 5000,
  // More than the slowest query takes.
  query_timeout: 30_000,
});
const prisma = new PrismaClient({ adapter });
const store = sqlStore({ db: fromPrisma(prisma), transactional: true });
await store.migrate();
await prisma.$executeRaw`CREATE TABLE IF NOT EXISTS transfers (id serial PRIMARY KEY, event_id text NOT NULL, name text NOT NULL)`;

const receiver = createReceiver({
  secret: process.env.WEBHOOK_SECRET ?? '',
  store,
  async onEvent(event, { tx }) {
    await tx.transfer.create({ data: { eventId: event.id, name: event.event } });
  },
  onError: (error) => console.error(error.code, error.message, error.cause ?? ''),
});

const port = Number(process.env.PORT ?? 3000);
createServer(nodeHandler(receiver)).listen(port, () => console.log('listening on', port));
