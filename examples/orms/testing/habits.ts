// What the transactions of ORMs can do beyond statements, for the tests of the store.
import { sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Knex } from 'knex';
import type { Transaction } from 'kysely';
import type { Sequelize, Transaction as SequelizeTransaction } from 'sequelize';
import type { EntityManager } from 'typeorm';
import type { SqlClient } from '../../../test/stores/sql/client.js';
import type { Habits } from '../../../test/stores/sql/orms/installed.js';
import type { Prisma } from '../generated/postgres/index.js';
import { clients } from './postgres.js';

const clientOf = (title: string) => clients.find((client) => client.title === title) as SqlClient;

const sequelizeOf = (tx: SequelizeTransaction) => Reflect.get(tx, 'sequelize') as Sequelize;

export const habits: readonly Habits[] = [
  {
    client: clientOf('fromDrizzle over pg'),
    nested: (tx: NodePgDatabase, text, then) =>
      tx.transaction(async (inner) => {
        await inner.execute(sql.raw(text));
        await then();
      }),
    leaveOpen: (tx: NodePgDatabase) => tx.execute(sql`SAVEPOINT left_open`),
  },
  {
    client: clientOf('fromPrisma over pg'),
    nested: (tx: Prisma.TransactionClient, text, then) =>
      tx.$transaction(async (inner) => {
        await inner.$executeRawUnsafe(text);
        await then();
      }),
  },
  {
    client: clientOf('fromKysely over pg'),
    refused: {
      'tx.transaction()': (tx: Transaction<unknown>) => tx.transaction().execute(async () => {}),
      'tx.destroy()': (tx: Transaction<unknown>) => tx.destroy(),
    },
  },
  {
    client: clientOf('fromKnex over pg'),
    nested: (tx: Knex.Transaction, text, then) =>
      tx.transaction(async (inner) => {
        await inner.raw(text);
        await then();
      }),
    endings: {
      'tx.commit()': { commits: true, end: (tx: Knex.Transaction) => tx.commit() },
      'tx.rollback()': { commits: false, end: (tx: Knex.Transaction) => tx.rollback() },
    },
    leaveOpen: (tx: Knex.Transaction) => tx.transaction(),
  },
  {
    client: clientOf('fromTypeOrm over pg'),
    nested: (tx: EntityManager, text, then) =>
      tx.transaction(async (inner) => {
        await inner.query(text);
        await then();
      }),
    endings: {
      'queryRunner.commitTransaction()': {
        commits: true,
        end: (tx: EntityManager) => tx.queryRunner?.commitTransaction(),
      },
      'queryRunner.rollbackTransaction()': {
        commits: false,
        end: (tx: EntityManager) => tx.queryRunner?.rollbackTransaction(),
      },
      'queryRunner.release()': {
        commits: false,
        releases: true,
        end: (tx: EntityManager) => tx.queryRunner?.release(),
      },
    },
  },
  {
    client: clientOf('fromTransaction over Sequelize'),
    nested: (tx: SequelizeTransaction, text, then) =>
      sequelizeOf(tx).transaction({ transaction: tx }, async (inner) => {
        await sequelizeOf(tx).query(text, { transaction: inner });
        await then();
      }),
    endings: {
      'tx.commit()': { commits: true, end: (tx: SequelizeTransaction) => tx.commit() },
      'tx.rollback()': { commits: false, end: (tx: SequelizeTransaction) => tx.rollback() },
    },
  },
];
