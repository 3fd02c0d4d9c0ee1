// A balance for each account, kept exactly: both changes of a transfer commit together with its key.
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { parseAbi } from 'abitype';
import { createRouter, type IdempotencyStore } from 'event-webhook-receiver';
import { contractEvent, logIdentity } from 'event-webhook-receiver/evm';
import { lambdaHandler } from 'event-webhook-receiver/lambda';
import { dynamodbStore } from 'event-webhook-receiver/stores/dynamodb';

const client = DynamoDBDocument.from(new DynamoDB({}));
const store = dynamodbStore({ client, table: 'webhook-keys', transactional: true });
type Tx = typeof store extends IdempotencyStore<infer T> ? T : never;

const change = (account: string, amount: bigint) => ({
  Update: {
    TableName: 'balances',
    Key: { account },
    UpdateExpression: 'ADD balance :amount',
    ExpressionAttributeValues: { ':amount': amount },
  },
});

const abi = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)']);
const address = '0x5FbDB2315678afecb367f032d93F642f64180aa3';

const router = createRouter<Tx>()
  .on(contractEvent({ abi, name: 'Transfer', address, requireLog: true }), ({ args: { from, to, value } }, { tx }) => {
    if (from === to) return; // one transaction may write an item once
    tx.write(change(from, -value));
    tx.write(change(to, value));
  })
  .otherwise(() => {}); // events of other contracts are acknowledged

export const handler = lambdaHandler({
  secret: process.env.WEBHOOK_SECRET ?? '',
  store,
  idempotencyKey: (event) => logIdentity(event, { chainId: 1 }),
  logger: console,
  onEvent: router.dispatch,
});
