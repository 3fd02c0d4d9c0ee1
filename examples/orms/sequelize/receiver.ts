// Exactly once with Sequelize: `tx` is the Transaction that records the key.
import { createServer } from 'node:http';
import { createReceiver } from 'event-webhook-receiver';
import { nodeHandler } from 'event-webhook-receiver/node';
import { fromTransaction, sqlStore } from 'event-webhook-receiver/stores/sql';
import { DataTypes, Sequelize, type Transaction } from 'sequelize';

const sequelize = new Sequelize(process.env.DATABASE_URL ?? '', {
  dialect: 'postgres',
  dialectOptions: { connectionTimeoutMillis: 5000, query_timeout: 30_000 },
  pool: { max: 10 },
  logging: false,
});
const Transfer = sequelize.define(
  'transfer',
  {
    eventId: { type: DataTypes.TEXT, field: 'event_id', allowNull: false },
    name: { type: DataTypes.TEXT, allowNull: false },
  },
  { tableName: 'transfers', timestamps: false },
);
const db = fromTransaction<Transaction>({
  dialect: 'postgres',
  run: (statement, transaction) => sequelize.query(statement, { transaction: transaction ?? null }),
  transaction: (work) => sequelize.transaction(work),
});
const store = sqlStore({ db, transactional: true });
await store.migrate();
await Transfer.sync();

const receiver = createReceiver({
  secret: process.env.WEBHOOK_SECRET ?? '',
  store,
  async onEvent(event, { tx }) {
    await Transfer.create({ eventId: event.id, name: event.event }, { transaction: tx });
  },
  onError: (error) => console.error(error.code, error.message, error.cause ?? ''),
});

const port = Number(process.env.PORT ?? 3000);
createServer(nodeHandler(receiver)).listen(port, () => console.log('listening on', port));
