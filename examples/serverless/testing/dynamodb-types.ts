// What the compiler says about the store and the clients of the SDK. Compiled, never run.
import { DynamoDB, DynamoDBClient, type TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocument, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createReceiver, type IdempotencyStore } from 'event-webhook-receiver';
import { type DynamoDBTransaction, dynamodbStore, dynamodbTable } from 'event-webhook-receiver/stores/dynamodb';

const client = new DynamoDB({});
const document = DynamoDBDocument.from(client);
const table = 'webhook-keys';

export const leases: IdempotencyStore[] = [
  dynamodbStore({ client, table }),
  dynamodbStore({ client: document, table, clockSkewMs: 0 }),
];

// `context.tx` takes what the client takes, and nothing else.
const values = dynamodbStore({ client, table, transactional: true });
export const typed: IdempotencyStore<DynamoDBTransaction<TransactWriteItem>> = values;
createReceiver({
  secret: 's',
  store: values,
  onEvent(event, { tx }) {
    tx.write({ Put: { TableName: 'seen', Item: { id: { S: event.id } } } });
    // @ts-expect-error the values of this client have types
    tx.write({ Put: { TableName: 'seen', Item: { id: event.id } } });
    // @ts-expect-error the table is missing
    tx.write({ Put: { Item: { id: { S: event.id } } } });
  },
});
createReceiver({
  secret: 's',
  store: dynamodbStore({ client: document, table, transactional: true }),
  onEvents(entries, { tx }) {
    tx.write(...entries.map(({ event }) => ({ Put: { TableName: 'seen', Item: { id: event.id, at: 1 } } })));
    // @ts-expect-error not a write
    tx.write({ Get: { TableName: 'seen', Key: { id: 'a' } } });
  },
});

// @ts-expect-error it only has `send`
dynamodbStore({ client: new DynamoDBClient({}), table });
// @ts-expect-error it only has `send`
dynamodbStore({ client: DynamoDBDocumentClient.from(client), table });
// @ts-expect-error the table is missing
dynamodbStore({ client });

const inputs = dynamodbTable({ table });
export const created = client.createTable(inputs.table);
export const limited = client.updateTimeToLive(inputs.timeToLive);
