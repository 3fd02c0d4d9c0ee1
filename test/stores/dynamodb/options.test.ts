import { describe, expect, it } from 'vitest';
import { type AnyDynamoDB, dynamodbStore, dynamodbTable } from '../../../src/stores/dynamodb/index.js';
import { failing, unique } from '../../contracts/store-helpers.js';
import { once } from '../calls.js';
import { hasDynamoDB, needsDynamoDB, useMemory } from './server.js';

const method = async () => ({});
const client = {
  send: method,
  getItem: method,
  updateItem: method,
  deleteItem: method,
  transactWriteItems: method,
  scan: method,
} as AnyDynamoDB;
const CONFIG = 'ERR_WEBHOOK_CONFIG';

describe('dynamodbStore', () => {
  it.each([
    [{ client: { send: method } }, 'pass `new DynamoDB(config)` of @aws-sdk/client-dynamodb'],
    [{ client: { send: method } }, 'pass `DynamoDBDocument.from(client)` of @aws-sdk/lib-dynamodb'],
    [{ client: undefined }, '`client` must be a client of AWS SDK 3'],
    // A client of AWS SDK 2 has the methods too, but returns no promises.
    [{ client: { ...client, send: undefined } }, '`client` must be a client of AWS SDK 3'],
    [{ table: undefined }, '`table` must be the name or ARN of a table, got undefined'],
    [{ table: 'no' }, '`table` must be the name or ARN of a table, got a string'],
    [{ transactional: 'yes' }, '`transactional` must be a boolean, got a string'],
    [{ clockSkewMs: -1 }, '`clockSkewMs` must be a number from 0'],
    [{ clockSkewMs: 0, transactional: true }, '`clockSkewMs` must be undefined with `transactional`, got a number'],
    [{ leaseMs: 0 }, '`leaseMs` must be a number from 1'],
    [{ tableName: 'keys' }, '`dynamodbStore` has no option `tableName`. Did you mean `table`?'],
  ])('refuses %o: %s', (options, message) => {
    const error = expect.objectContaining({ code: CONFIG, message: expect.stringContaining(message) });
    const make = () => dynamodbStore({ client, table: 'webhook-keys', ...(options as object) });
    expect(make).toThrow(error);
  });

  it('says how to pass a client that is passed in place of the options', () => {
    expect(() => dynamodbStore(client as never)).toThrow('call dynamodbStore({ client, … })');
  });
});

it('dynamodbTable refuses an invalid table name', () => {
  expect(() => dynamodbTable({ table: '' })).toThrow(expect.objectContaining({ code: CONFIG }));
  expect(() => dynamodbTable({ name: 'keys' } as never)).toThrow('`dynamodbTable` has no option `name`');
});

describe.skipIf(!hasDynamoDB)(`dynamodbStore, on a table that it cannot use${needsDynamoDB}`, () => {
  const { open } = useMemory();

  it.each([
    ['is missing', 'missing-table', 'DynamoDB has no table of this name'],
    ['has another key', 'other-key', 'needs the string partition key `key` and no sort key'],
  ])('says so if the table %s', async (_, table, message) => {
    for (const mode of ['lease', 'transactional'] as const) {
      const store = open('DynamoDB')[mode]({ table });
      const error = { code: 'ERR_WEBHOOK_STORE', message: expect.stringContaining(message) };
      await expect(once(store, unique(), failing)).rejects.toMatchObject(error);
    }
  });

  it('says so if it may not use the table', async () => {
    const denied = Object.assign(new Error('denied'), { name: 'AccessDeniedException' });
    const store = dynamodbStore({
      client: { ...client, updateItem: () => Promise.reject(denied) },
      table: 'webhook-keys',
    });
    const error = { code: 'ERR_WEBHOOK_STORE', message: expect.stringContaining('Allow the role'), cause: denied };
    await expect(once(store, unique(), failing)).rejects.toMatchObject(error);
  });

  it.each(['lease', 'transactional'] as const)('reads an item that the client does not return: %s', async (mode) => {
    const opened = open('DynamoDB');
    const older = new Proxy(opened.client as object, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name !== 'updateItem' || typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          try {
            return await Reflect.apply(value, target, args);
          } catch (error) {
            throw Object.assign(error as object, { Item: undefined });
          }
        };
      },
    }) as AnyDynamoDB;
    const options = { client: older, table: 'webhook-keys' };
    const store = mode === 'lease' ? dynamodbStore(options) : dynamodbStore({ ...options, transactional: true });
    const key = unique();
    expect(
      await once(store, key, async () => {
        expect(await once(store, key, failing)).toBe('in-progress');
      }),
    ).toBe('handled');
    expect(await once(store, key, failing)).toBe('duplicate');
  });
});
