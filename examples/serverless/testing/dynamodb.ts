// Both clients of the AWS SDK with the stores on them, for the tests of the store.
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import type { IdempotencyStore } from 'event-webhook-receiver';
import {
  type AnyDynamoDB,
  type DynamoDBStoreOptions,
  type DynamoDBTransaction,
  dynamodbStore,
  dynamodbTable,
} from 'event-webhook-receiver/stores/dynamodb';

export const KEYS = 'webhook-keys';
export const EFFECTS = 'effects';

type Settings = Omit<DynamoDBStoreOptions, 'client' | 'table' | 'transactional'>;
type Value = string | number | Uint8Array;
type Values = Readonly<Record<string, Value>>;
/** Writes in the form of a client. */
export type Tx = DynamoDBTransaction<object>;

export interface OpenSettings {
  /** How often the SDK sends a request that failed. (Default: 3.) */
  readonly maxAttempts?: number;
}

/** A client with the stores on it. */
export interface Opened {
  readonly client: AnyDynamoDB;
  /** A store with leases. */
  lease(settings?: Settings & { readonly table?: string }): IdempotencyStore;
  transactional(settings?: Settings & { readonly table?: string }): IdempotencyStore<Tx>;
  /** A write that adds 1 to the effects of an id. */
  add(id: string): object;
  /** A write of an item. It fails if there is one, if `once`. */
  put(item: Values, once?: 'once'): object;
  /** A write that requires an item to exist. */
  check(id: string): object;
  /** How many effects an id has. */
  count(id: string): Promise<number>;
  /** The item of a key. */
  item(key: string): Promise<Record<string, unknown> | undefined>;
  close(): void;
}

const CONFIG = { region: 'local', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
const clientOf = (endpoint: string, settings: OpenSettings) => new DynamoDB({ ...CONFIG, endpoint, ...settings });

/** Creates the store's table and that of the effects. */
export async function createTables(endpoint: string): Promise<void> {
  const client = clientOf(endpoint, {});
  const { table, timeToLive } = dynamodbTable({ table: KEYS });
  await client.createTable(table);
  await client.updateTimeToLive(timeToLive);
  for (const [TableName, name] of [
    [EFFECTS, 'id'],
    ['other-key', 'id'],
  ] as const) {
    const AttributeDefinitions = [{ AttributeName: name, AttributeType: 'S' as const }];
    const KeySchema = [{ AttributeName: name, KeyType: 'HASH' as const }];
    await client.createTable({ TableName, AttributeDefinitions, KeySchema, BillingMode: 'PAY_PER_REQUEST' });
  }
  client.destroy();
}

function attribute(value: Value) {
  if (typeof value === 'string') return { S: value };
  return typeof value === 'number' ? { N: String(value) } : { B: value };
}

const ADD = { UpdateExpression: 'ADD #count :one', ExpressionAttributeNames: { '#count': 'count' } };
const ABSENT = { ConditionExpression: 'attribute_not_exists(id)' };
const PRESENT = { ConditionExpression: 'attribute_exists(id)' };
const attributes = (item: Values) =>
  Object.fromEntries(Object.entries(item).map(([key, each]) => [key, attribute(each)]));

function openDynamoDB(endpoint: string, settings: OpenSettings = {}): Opened {
  const client = clientOf(endpoint, settings);
  return {
    client,
    lease: (options) => dynamodbStore({ client, table: KEYS, ...options }),
    transactional: (options) =>
      dynamodbStore({ client, table: KEYS, ...options, transactional: true }) as IdempotencyStore<Tx>,
    add: (id) => ({
      Update: { TableName: EFFECTS, Key: { id: { S: id } }, ...ADD, ExpressionAttributeValues: { ':one': { N: '1' } } },
    }),
    put: (item, once) => ({ Put: { TableName: EFFECTS, Item: attributes(item), ...(once && ABSENT) } }),
    check: (id) => ({ ConditionCheck: { TableName: EFFECTS, Key: { id: { S: id } }, ...PRESENT } }),
    async count(id) {
      const { Item } = await client.getItem({ TableName: EFFECTS, Key: { id: { S: id } }, ConsistentRead: true });
      return Number(Item?.count?.N ?? 0);
    },
    async item(key) {
      const { Item } = await client.getItem({ TableName: KEYS, Key: { key: { S: key } }, ConsistentRead: true });
      return Item;
    },
    close: () => client.destroy(),
  };
}

function openDocument(endpoint: string, settings: OpenSettings = {}): Opened {
  const base = clientOf(endpoint, settings);
  const client = DynamoDBDocument.from(base);
  return {
    client,
    lease: (options) => dynamodbStore({ client, table: KEYS, ...options }),
    transactional: (options) =>
      dynamodbStore({ client, table: KEYS, ...options, transactional: true }) as IdempotencyStore<Tx>,
    add: (id) => ({ Update: { TableName: EFFECTS, Key: { id }, ...ADD, ExpressionAttributeValues: { ':one': 1 } } }),
    put: (item, once) => ({ Put: { TableName: EFFECTS, Item: item, ...(once && ABSENT) } }),
    check: (id) => ({ ConditionCheck: { TableName: EFFECTS, Key: { id }, ...PRESENT } }),
    async count(id) {
      const { Item } = await client.get({ TableName: EFFECTS, Key: { id }, ConsistentRead: true });
      return Number(Item?.count ?? 0);
    },
    async item(key) {
      return (await client.get({ TableName: KEYS, Key: { key }, ConsistentRead: true })).Item;
    },
    close: () => base.destroy(),
  };
}

export const clients: Readonly<Record<string, (endpoint: string, settings?: OpenSettings) => Opened>> = {
  DynamoDB: openDynamoDB,
  DynamoDBDocument: openDocument,
};
