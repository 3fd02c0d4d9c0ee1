import { checkNumber, checkOptions, MAX_TIMER_MS, optionError } from '../../internal/check-options.js';
import { LEASE_OPTIONS, type LeaseOptions, resolveLeaseOptions, storeOfLeases } from '../leased-store.js';
import type { IdempotencyStore } from '../store.js';
import { type AnyDynamoDB, checkClient, engineOf, type TransactItem } from './client.js';
import { committer } from './commit.js';
import { itemsOf } from './items.js';
import { dynamodbLetters } from './letters.js';
import { leaseTable } from './table.js';
import type { DynamoDBTransaction } from './transaction.js';
import { transactionalStore } from './transactional.js';

export type { AnyDynamoDB, DynamoDBDocumentLike, DynamoDBLike, TransactItem } from './client.js';
export type { DynamoDBTransaction } from './transaction.js';

/** Options of {@link dynamodbStore}. */
export interface DynamoDBStoreOptions<Client extends AnyDynamoDB = AnyDynamoDB> extends LeaseOptions {
  /**
   * Your client of AWS SDK 3: `new DynamoDB(config)` of `@aws-sdk/client-dynamodb`, or `DynamoDBDocument.from(client)` of
   * `@aws-sdk/lib-dynamodb`. The store neither configures nor destroys it.
   */
  readonly client: Client;
  /** Name or ARN of the store's table, which {@link dynamodbTable} describes. */
  readonly table: string;
  /** Whether the handler's `context.tx` collects writes to commit them together with the key. (Default: false.) */
  readonly transactional?: boolean | undefined;
  /**
   * How far the clocks of two processes may differ, in ms: a lease ends that much later for other processes. So after a
   * crash the key is free after `leaseMs` and `clockSkewMs`. Not for `transactional`: after another run has taken over
   * a key, the earlier run cannot commit. (Default: 300 000.)
   */
  readonly clockSkewMs?: number | undefined;
}

/** A table name or ARN, as AWS takes it. */
const TABLE = /^([\w.-]{3,255}|arn:[\w.:/-]{1,1020})$/;

/**
 * Creates a store in your DynamoDB table, shared by all processes: each key is claimed by a conditional write with a lease.
 * With `transactional`, what the handler passes to `context.tx.write` is committed in one TransactWriteItems together with
 * the key, so it takes effect exactly once. Then `onEvents` gets up to 50 events at once, and the receiver calls it again
 * for the rest of the delivery. While the table cannot be reached, nothing runs, and events fail with `ERR_WEBHOOK_STORE`.
 *
 * Without `transactional`, a process that dies between the effect and its record leaves the event to be handled again. It
 * does not check the clocks: DynamoDB has none for conditions, so a lease is protected only among processes whose clocks
 * differ by less than `clockSkewMs`. It does not create the table: see {@link dynamodbTable}.
 *
 * @example
 * ```ts
 * import { DynamoDB } from '@aws-sdk/client-dynamodb';
 * import { createReceiver } from 'event-webhook-receiver';
 * import { dynamodbStore } from 'event-webhook-receiver/stores/dynamodb';
 *
 * const store = dynamodbStore({ client: new DynamoDB({}), table: 'webhook-keys', transactional: true });
 * export const receiver = createReceiver({
 *   secret: process.env.WEBHOOK_SECRET ?? '',
 *   store,
 *   onEvent: (event, { tx }) => tx.write({ Put: { TableName: 'seen', Item: { id: { S: event.id } } } }),
 * });
 * ```
 * @param options The client and the table; times are in milliseconds.
 * @returns The store, for the receiver's `store` option.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for an invalid or unknown option.
 */
export function dynamodbStore<Client extends AnyDynamoDB>(
  options: DynamoDBStoreOptions<Client> & { readonly transactional: true },
): IdempotencyStore<DynamoDBTransaction<TransactItem<Client>>>;
export function dynamodbStore(
  options: DynamoDBStoreOptions & { readonly transactional?: false | undefined },
): IdempotencyStore;
export function dynamodbStore(options: DynamoDBStoreOptions): object {
  checkClient('dynamodbStore', options, ['client', 'table', 'transactional', 'clockSkewMs', ...LEASE_OPTIONS]);
  const { client, table, transactional = false, clockSkewMs } = options;
  checkTable(table);
  if (typeof transactional !== 'boolean') throw optionError('transactional', 'a boolean', transactional);
  if (clockSkewMs !== undefined) {
    if (transactional) throw optionError('clockSkewMs', 'undefined with `transactional`', clockSkewMs);
    checkNumber('clockSkewMs', clockSkewMs, 0, MAX_TIMER_MS);
  }
  const lease = resolveLeaseOptions(options);
  const engine = engineOf(client, lease.timeoutMs);
  const skewMs = transactional ? 0 : (clockSkewMs ?? 300_000);
  const items = itemsOf(table, engine, { claimMs: lease.leaseMs + skewMs, retentionMs: lease.retentionMs });
  const letters = dynamodbLetters(engine, items, lease);
  const leases = leaseTable(engine, items, letters);
  if (!transactional) return storeOfLeases(leases, lease);
  return transactionalStore(leases, committer(engine, items, leases, lease), lease);
}

/** Options of {@link dynamodbTable}. */
export interface DynamoDBTableOptions {
  /** Name of the table. */
  readonly table: string;
}

/** What {@link dynamodbTable} returns. */
export interface DynamoDBTableInputs {
  /** Input of CreateTable. */
  readonly table: {
    readonly TableName: string;
    readonly AttributeDefinitions: { AttributeName: string; AttributeType: 'S' }[];
    readonly KeySchema: { AttributeName: string; KeyType: 'HASH' }[];
    readonly BillingMode: 'PAY_PER_REQUEST';
  };
  /** Input of UpdateTimeToLive, for when the table is active: DynamoDB then deletes expired keys. */
  readonly timeToLive: {
    readonly TableName: string;
    readonly TimeToLiveSpecification: { readonly AttributeName: string; readonly Enabled: boolean };
  };
}

/**
 * Returns the inputs of CreateTable and UpdateTimeToLive for the store's table. Calls nothing.
 *
 * @example
 * ```ts
 * import { DynamoDB, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
 * import { dynamodbTable } from 'event-webhook-receiver/stores/dynamodb';
 *
 * const client = new DynamoDB({});
 * const { table, timeToLive } = dynamodbTable({ table: 'webhook-keys' });
 * await client.createTable(table);
 * await waitUntilTableExists({ client, maxWaitTime: 60 }, { TableName: table.TableName });
 * await client.updateTimeToLive(timeToLive);
 * ```
 * @param options The name of the table.
 * @returns The two inputs.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for an invalid or unknown option.
 */
export function dynamodbTable(options: DynamoDBTableOptions): DynamoDBTableInputs {
  checkOptions('dynamodbTable', options, ['table']);
  const { table: TableName } = options;
  checkTable(TableName);
  return {
    table: {
      TableName,
      AttributeDefinitions: [{ AttributeName: 'key', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'key', KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
    },
    timeToLive: { TableName, TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true } },
  };
}

function checkTable(table: unknown): void {
  if (typeof table !== 'string' || !TABLE.test(table)) throw optionError('table', 'the name or ARN of a table', table);
}
