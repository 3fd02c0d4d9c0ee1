// Each event takes effect once: what you pass to `tx.write` commits together with the key of the event.
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { createReceiver } from 'event-webhook-receiver';
import { dynamodbStore, dynamodbTable } from 'event-webhook-receiver/stores/dynamodb';

const KEYS = process.env.KEYS_TABLE ?? 'webhook-keys';
const EVENTS = process.env.EVENTS_TABLE ?? 'received-events';

// The endpoint is that of DynamoDB Local in tests; on Lambda it is not set.
const client = new DynamoDB(process.env.DYNAMODB_ENDPOINT ? { endpoint: process.env.DYNAMODB_ENDPOINT } : {});
const documents = DynamoDBDocument.from(client);

/** Creates the tables, in tests. The template of the function creates those of AWS. */
export async function migrate(): Promise<void> {
  const { table } = dynamodbTable({ table: KEYS });
  await client.createTable(table);
  await client.createTable({
    TableName: EVENTS,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
  });
}

export const receiver = createReceiver({
  secret: () => process.env.WEBHOOK_SECRET ?? '',
  store: dynamodbStore({ client: documents, table: KEYS, transactional: true }),
  logger: console,
  onEvent: (event, { tx }) => {
    tx.write({
      Update: {
        TableName: EVENTS,
        Key: { id: event.id },
        UpdateExpression: 'ADD effects :one',
        ExpressionAttributeValues: { ':one': 1 },
      },
    });
  },
});

/** How often an event took effect. */
export async function effectsOf(id: string): Promise<number> {
  const { Item } = await documents.get({ TableName: EVENTS, Key: { id }, ConsistentRead: true });
  return Number(Item?.effects ?? 0);
}

export const close = async () => client.destroy();
