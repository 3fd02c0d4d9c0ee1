import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { lambdaHandler } from 'event-webhook-receiver/lambda';
import { dynamodbStore } from 'event-webhook-receiver/stores/dynamodb';

const client = DynamoDBDocument.from(new DynamoDB({}));

export const handler = lambdaHandler({
  secret: process.env.WEBHOOK_SECRET ?? '',
  store: dynamodbStore({ client, table: 'webhook-keys', transactional: true }),
  onEvent(event, { tx }) {
    tx.write({ Put: { TableName: 'transfers', Item: { id: event.id, kind: event.event } } });
  },
});
