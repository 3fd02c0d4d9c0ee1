// Each event takes effect once: what you write through `tx` commits together with the key of the event.
import { PrismaPg } from '@prisma/adapter-pg';
import { createReceiver } from 'event-webhook-receiver';
import { fromPrisma, sqlStore } from 'event-webhook-receiver/stores/sql';
import { PrismaClient } from '../generated/postgres/index.js';

// The limits: for connecting, and more than the slowest query takes.
const limits = { connectionTimeoutMillis: 5000, query_timeout: 30_000 };
const adapter = new PrismaPg({ connectionString: process.env.DATABASE_URL, ...limits });
const prisma = new PrismaClient({ adapter });
const store = sqlStore({ db: fromPrisma(prisma), transactional: true });

/** Creates the tables: in a migration, or before the server starts. */
export async function migrate(): Promise<void> {
  await store.migrate();
  await prisma.$executeRaw`CREATE TABLE IF NOT EXISTS received_events (id text NOT NULL, kind text NOT NULL)`;
}

export const receiver = createReceiver({
  secret: () => process.env.WEBHOOK_SECRET ?? '', // read for each delivery: a build has no secret
  store,
  logger: console,
  onEvent: async (event, { tx }) => {
    // With a model in your schema: tx.receivedEvent.create({ data: … })
    await tx.$executeRaw`INSERT INTO received_events (id, kind) VALUES (${event.id}, ${event.event})`;
  },
});

/** How often an event took effect. */
export async function effectsOf(id: string): Promise<number> {
  return (await prisma.$queryRaw<unknown[]>`SELECT 1 FROM received_events WHERE id = ${id}`).length;
}

export const close = () => prisma.$disconnect();
