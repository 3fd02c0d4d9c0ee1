import { storeContract } from 'event-webhooks/store-contract';
import type { ClientSession, Collection, MongoClient } from 'mongodb';
import { describe, expect, test } from 'vitest';
import { ifFree, type Lease, mongoStore } from '../../examples/mongodb/leases.js';
import { mongoTransactionStore } from '../../examples/mongodb/transactions.js';
import { fakeMongo } from './fake-mongo.js';

// Not MongoDB, but a fake of the driver's calls: no server can be installed here.
describe('the lease store of the MongoDB example, over a fake', () => {
  const leases = fakeMongo().collection('leases') as unknown as Collection<Lease>;
  storeContract((settings) => mongoStore(leases, settings), { test });

  test('keeps a record when the claim of its owner arrives again', async () => {
    for (const done of [false, true, false]) {
      await leases.findOneAndUpdate({ _id: 'late' }, ifFree('owner', done, 60_000), { upsert: true });
    }
    expect(await leases.findOne({ _id: 'late' })).toMatchObject({ owner: 'owner', done: true });
  });
});

describe('the transactional store of the MongoDB example, over a fake', () => {
  const client = fakeMongo() as unknown as MongoClient;
  const keys = client.db().collection<Lease>('keys');
  const effects = client.db().collection<{ _id: string }>('effects');
  storeContract<ClientSession>(({ retentionMs }) => mongoTransactionStore(client, keys, retentionMs), {
    test,
    effects: {
      write: (session, id) => effects.insertOne({ _id: id }, { session }),
      count: async (id) => ((await effects.findOne({ _id: id })) ? 1 : 0),
    },
  });
});
