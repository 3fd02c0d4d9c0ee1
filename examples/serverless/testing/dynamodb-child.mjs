// A process that handles one key with a transactional store of the built package: node dynamodb-child.mjs <endpoint>
// <leaseMs> <key>. It says `running` when its handler has written an effect, waits for a line, and says the outcome.
import { once } from 'node:events';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { dynamodbStore } from 'event-webhook-receiver/stores/dynamodb';

const [endpoint, leaseMs, key] = process.argv.slice(2);
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
const client = new DynamoDB({ endpoint, region: 'local', credentials });
const store = dynamodbStore({ client, table: 'webhook-keys', transactional: true, leaseMs: Number(leaseMs) });
await client.getItem({ TableName: 'effects', Key: { id: { S: 'connects' } } });
async function run(_fresh, tx) {
  tx.write({
    Update: {
      TableName: 'effects',
      Key: { id: { S: key } },
      UpdateExpression: 'ADD #count :one',
      ExpressionAttributeNames: { '#count': 'count' },
      ExpressionAttributeValues: { ':one': { N: '1' } },
    },
  });
  console.log('running');
  await once(process.stdin, 'data');
}
const limit = { signal: new AbortController().signal, deadline: Date.now() + 300_000 };
console.log(
  await store.once([key], { from: 'free', to: 'done' }, run, limit).then(
    (words) => words.get(key),
    (error) => error.code,
  ),
);
process.exit();
