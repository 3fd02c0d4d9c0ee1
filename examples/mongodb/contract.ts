// Runs storeContract over both stores, against your MongoDB (a replica set, because of the transactions):
// MONGODB_URL=mongodb://127.0.0.1:27017/test npx tsx --tsconfig examples/tsconfig.json --test examples/mongodb/contract.ts
import { after, suite, test } from 'node:test';
import { storeContract } from 'event-webhooks/store-contract';
import { type ClientSession, MongoClient } from 'mongodb';
import { type Lease, mongoLeases, mongoStore } from './leases.js';
import { mongoTransactionStore } from './transactions.js';

const client = new MongoClient(process.env.MONGODB_URL ?? '');
const database = client.db();
const collection = <Document extends { _id: string }>(name: string) =>
  database.collection<Document>(`${name}_${process.pid}`, { writeConcern: { w: 'majority' } });
const [leases, keys] = [collection<Lease>('leases'), collection<Lease>('keys')];
const effects = collection<{ _id: string }>('effects');

suite('leases', () => {
  storeContract((settings) => mongoStore(leases, settings), { test, leases: () => mongoLeases(leases) });
});

suite('transactions', () => {
  storeContract<ClientSession>(({ retentionMs }) => mongoTransactionStore(client, keys, retentionMs), {
    test,
    effects: {
      write: (session, _id) => effects.insertOne({ _id }, { session }),
      count: (_id) => effects.countDocuments({ _id }),
    },
  });
});

after(async () => {
  for (const each of [leases, keys, effects]) await each.drop();
  await client.close();
});
