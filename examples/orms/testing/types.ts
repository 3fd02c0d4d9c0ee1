// What `context.tx` is with each ORM: its own type. Only the compiler reads this.
import { drizzle } from 'drizzle-orm/node-postgres';
import { pgTable, text } from 'drizzle-orm/pg-core';
import { createReceiver } from 'event-webhook-receiver';
import {
  fromDrizzle,
  fromKnex,
  fromKysely,
  fromPg,
  fromPrisma,
  fromTransaction,
  fromTypeOrm,
  sqlStore,
} from 'event-webhook-receiver/stores/sql';
import type { Knex } from 'knex';
import type { Kysely, Transaction } from 'kysely';
import type { Pool } from 'pg';
import type { Sequelize, Transaction as SequelizeTransaction } from 'sequelize';
import type { DataSource, EntityManager } from 'typeorm';
import type { Prisma, PrismaClient } from '../generated/postgres/index.js';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function same<A, B>(equal: Equal<A, B>): void;

declare const pool: Pool;
const secret = 'whsec-test';

declare const prisma: PrismaClient;
createReceiver({
  secret,
  store: sqlStore({ db: fromPrisma(prisma), transactional: true }),
  async onEvent(event, { tx }) {
    same<typeof tx, Prisma.TransactionClient>(true);
    await tx.transfer.create({ data: { eventId: event.id, name: event.event } });
    // @ts-expect-error there is no such model
    tx.nothing;
  },
});
const extended = prisma.$extends({ model: { transfer: { hello: () => 'hello' } } });
createReceiver({
  secret,
  store: sqlStore({ db: fromPrisma(extended), transactional: true }),
  onEvent(_, { tx }) {
    tx.transfer.hello().toUpperCase();
  },
});

const transfers = pgTable('transfers', { eventId: text('event_id').primaryKey(), name: text().notNull() });
const db = drizzle(pool, { schema: { transfers } });
createReceiver({
  secret,
  store: sqlStore({ db: fromDrizzle(db), transactional: true }),
  async onEvent(event, { tx }) {
    same<typeof tx, Parameters<Parameters<typeof db.transaction>[0]>[0]>(true);
    await tx.insert(transfers).values({ eventId: event.id, name: event.event });
    await tx.query.transfers.findFirst();
    await tx.transaction((inner) => inner.delete(transfers));
    // @ts-expect-error a name is required
    tx.insert(transfers).values({ eventId: event.id });
  },
});

interface Database {
  transfers: { event_id: string; name: string };
}
declare const kysely: Kysely<Database>;
createReceiver({
  secret,
  store: sqlStore({ db: fromKysely(kysely, fromPg(pool)), transactional: true }),
  async onEvent(event, { tx }) {
    same<typeof tx, Transaction<Database>>(true);
    await tx.insertInto('transfers').values({ event_id: event.id, name: event.event }).execute();
    // @ts-expect-error there is no such table
    tx.insertInto('nothing');
  },
});

declare const knex: Knex;
createReceiver({
  secret,
  store: sqlStore({ db: fromKnex(knex), transactional: true }),
  async onEvent(event, { tx }) {
    same<typeof tx, Knex.Transaction>(true);
    await tx('transfers').insert({ event_id: event.id });
  },
});

declare const source: DataSource;
class Transfer {
  eventId = '';
}
createReceiver({
  secret,
  store: sqlStore({ db: fromTypeOrm(source), transactional: true }),
  async onEvent(event, { tx }) {
    same<typeof tx, EntityManager>(true);
    await tx.getRepository(Transfer).insert({ eventId: event.id });
    // @ts-expect-error there is no such column
    tx.getRepository(Transfer).insert({ name: 1 });
  },
});

declare const sequelize: Sequelize;
const sequelizeDb = fromTransaction<SequelizeTransaction>({
  dialect: 'postgres',
  run: (statement, transaction) => sequelize.query(statement, { transaction: transaction ?? null }),
  transaction: (work) => sequelize.transaction(work),
});
createReceiver({
  secret,
  store: sqlStore({ db: sequelizeDb, transactional: true }),
  async onEvent(event, { tx }) {
    same<typeof tx, SequelizeTransaction>(true);
    await sequelize.models.transfers?.create({ eventId: event.id }, { transaction: tx });
    // @ts-expect-error there is no such method
    tx.nothing();
  },
});

// @ts-expect-error a URL is not a client
fromPrisma('postgres://localhost/app');
// @ts-expect-error nor is the client of another ORM
fromDrizzle(prisma);
// @ts-expect-error nor is a pool
fromKnex(pool);
// @ts-expect-error Kysely does not show its pool
fromKysely(kysely);
// @ts-expect-error a class
fromTypeOrm(Transfer);
// @ts-expect-error a class, not functions
fromTransaction(Transfer);
