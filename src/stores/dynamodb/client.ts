import { ConfigError } from '../../errors.js';
import { type ClientOption, checkClientOptions, hasMethods } from '../../internal/check-client.js';

/** `new DynamoDB(config)` of `@aws-sdk/client-dynamodb`: attribute values such as `{ S: 'text' }`. */
export interface DynamoDBLike {
  send(command: never): unknown;
  getItem(input: never): unknown;
  updateItem(input: never): unknown;
  deleteItem(input: never): unknown;
  transactWriteItems(input: never): unknown;
  scan(input: never): unknown;
}

/** `DynamoDBDocument.from(client)` of `@aws-sdk/lib-dynamodb`: plain values. */
export interface DynamoDBDocumentLike {
  send(command: never): unknown;
  get(input: never): unknown;
  update(input: never): unknown;
  delete(input: never): unknown;
  transactWrite(input: never): unknown;
  scan(input: never): unknown;
}

/** The clients that {@link dynamodbStore} takes. */
export type AnyDynamoDB = DynamoDBLike | DynamoDBDocumentLike;

/** An item that the client takes in `TransactItems`: `{ Put }`, `{ Update }`, `{ Delete }` or `{ ConditionCheck }`. */
export type TransactItem<Client> = Client extends { transactWriteItems(input: infer Input, ...rest: never): unknown }
  ? ItemOf<Input>
  : Client extends { transactWrite(input: infer Input, ...rest: never): unknown }
    ? ItemOf<Input>
    : never;
type ItemOf<Input> = Input extends { TransactItems?: readonly (infer Item)[] | undefined } ? Item : never;

/** One operation. Rejects with the client's error. */
type Operation<Answer = unknown> = (input: object) => Promise<Answer>;

/** The operations of a client. */
export interface Engine {
  readonly get: Operation<{ readonly Item?: object | undefined }>;
  readonly update: Operation<{ readonly Attributes?: object | undefined }>;
  readonly delete: Operation;
  readonly transact: Operation;
  readonly scan: Operation<{
    readonly Items?: readonly object[] | undefined;
    readonly LastEvaluatedKey?: object | undefined;
  }>;
  /** Converts a value to the form that the client takes. */
  value(value: string | number | boolean): unknown;
}

const METHODS = {
  values: ['getItem', 'updateItem', 'deleteItem', 'transactWriteItems', 'scan'],
  documents: ['get', 'update', 'delete', 'transactWrite', 'scan'],
} as const;

const isDynamoDB = (client: unknown) => hasMethods<DynamoDBLike>(client, 'send', ...METHODS.values);
const isDocument = (client: unknown) => hasMethods<DynamoDBDocumentLike>(client, 'send', ...METHODS.documents);

const CLIENT: ClientOption = {
  name: 'client',
  takes:
    'a client of AWS SDK 3 with a method for each operation: `new DynamoDB(config)` of @aws-sdk/client-dynamodb or `DynamoDBDocument.from(client)` of @aws-sdk/lib-dynamodb',
  isClient: (value) => isDynamoDB(value) || isDocument(value),
};

/** Like `checkClientOptions`, and also rejects clients that only have `send`. */
export function checkClient(owner: string, options: object, known: readonly string[]): void {
  const client: unknown = typeof options === 'object' && options !== null ? Reflect.get(options, 'client') : undefined;
  if (!CLIENT.isClient(client) && hasMethods<DynamoDBLike>(client, 'send')) {
    throw new ConfigError(
      '`client` must have a method for each operation, got a client that only has `send`. Instead of a DynamoDBClient pass `new DynamoDB(config)` of @aws-sdk/client-dynamodb; instead of a DynamoDBDocumentClient pass `DynamoDBDocument.from(client)` of @aws-sdk/lib-dynamodb.',
    );
  }
  checkClientOptions(owner, options, CLIENT, known);
}

/** The operations of a client, each of which is aborted after `timeoutMs`, with all its retries. */
export function engineOf(client: AnyDynamoDB, timeoutMs: number): Engine {
  const methods = client as unknown as Record<string, (input: object, options: object) => Promise<never>>;
  const [get, update, remove, transact, scan] = isDynamoDB(client) ? METHODS.values : METHODS.documents;
  const operation =
    (name: string): Operation<never> =>
    // Async, because the client may throw synchronously. AbortSignal.timeout takes only whole milliseconds.
    async (input) =>
      (methods[name] as NonNullable<(typeof methods)[string]>)(input, {
        abortSignal: AbortSignal.timeout(Math.ceil(timeoutMs)),
      });
  return {
    get: operation(get),
    update: operation(update),
    delete: operation(remove),
    transact: operation(transact),
    scan: operation(scan),
    value: isDynamoDB(client) ? attributeValue : (value) => value,
  };
}

function attributeValue(value: string | number | boolean): object {
  if (typeof value === 'boolean') return { BOOL: value };
  return typeof value === 'number' ? { N: String(value) } : { S: value };
}
