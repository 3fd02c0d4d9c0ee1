// What is deployed: bundled by esbuild, with the handler `handler.handler`.
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { lambdaHandler } from 'event-webhook-receiver/lambda';
import { dynamodbStore } from 'event-webhook-receiver/stores/dynamodb';

const { WEBHOOK_SECRET = '', KEYS_TABLE = '', TRANSFERS_TABLE = '', LEASE_MS } = process.env;

const store = dynamodbStore({
  client: new DynamoDB({}),
  table: KEYS_TABLE,
  transactional: true,
  leaseMs: LEASE_MS === undefined ? undefined : Number(LEASE_MS),
});

/** Stands for a call of another service. One in twenty takes longer than the lease. */
const askAnotherService = () => sleep(Math.random() < 0.05 ? 2500 : 20);

export const handler = lambdaHandler({
  secret: WEBHOOK_SECRET,
  store,
  async onEvent(event, { tx }) {
    await askAnotherService();
    // Committed together with the key, or not at all.
    tx.write({
      Update: {
        TableName: TRANSFERS_TABLE,
        Key: { id: { S: event.id } },
        UpdateExpression: 'ADD effects :one',
        ExpressionAttributeValues: { ':one': { N: '1' } },
      },
    });
  },
});
