// Exactly once with Prisma: `tx` is the client of the transaction that records the key.
import { createServer } from 'node:http';
import { PrismaPg } from '@prisma/adapter-pg';
import { createReceiver } from 'event-webhook-receiver';
import { nodeHandler } from 'event-webhook-receiver/node';
import { fromPrisma, sqlStore } from 'event-webhook-receiver/stores/sql';
import { Pool } from 'pg';
import { PrismaClient } from '../generated/postgres/index.js';

const pool = new Pool({
  connectionString: process.env.DATABASE_URL,
  connectionTimeoutMillis: 5000,
  // More than the slowest query takes.
  query_timeout: 30_000,
});
pool.on('error', (error) => console.error(error.message));
// Prisma does not always listen to a connection that it uses. Without a listener, one that breaks ends the process.
pool.on('connect', (client) => client.on('error', (error) => console.error(error.message)));

const prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
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
