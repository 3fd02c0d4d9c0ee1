import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type * as Testing from '../../../examples/serverless/testing/dynamodb.js';
import { startDynamoDB } from '../../../examples/servers/dynamodb.js';
import { hasDynamoDB } from '../../servers/dynamodb.js';

export type { Opened, Tx } from '../../../examples/serverless/testing/dynamodb.js';
export { hasDynamoDB, needsDynamoDB } from '../../servers/dynamodb.js';

const testing = new URL('../../../examples/serverless/testing/', import.meta.url);

/** A file of examples/serverless/testing, where the types of the AWS SDK stay. */
export async function importServerless<Module>(name: string): Promise<Module> {
  return await import(/* @vite-ignore */ fileURLToPath(new URL(`${name}.ts`, testing)));
}

/** The clients by their names. */
export const clientNames = ['DynamoDB', 'DynamoDBDocument'] as const;
export type ClientName = (typeof clientNames)[number];

/** DynamoDB Local with the tables, for the tests of a suite. */
export function useDynamoDB<Server extends { readonly url: string; stop(): Promise<void> }>(
  start: () => Promise<Server>,
) {
  let server: Server;
  let sdk: typeof Testing;
  beforeAll(async () => {
    if (!hasDynamoDB) return;
    sdk = await importServerless('dynamodb');
    server = await start();
    await sdk.createTables(server.url);
  }, 60_000);
  afterAll(() => server?.stop());
  return {
    server: () => server,
    /** A client with the stores on it, like another replica. Closed after the test. */
    open(name: ClientName, settings?: Testing.OpenSettings, url = server.url): Testing.Opened {
      const opened = (sdk.clients[name] as NonNullable<(typeof sdk.clients)[string]>)(url, settings);
      onTestFinished(() => opened.close());
      return opened;
    },
  };
}

export const useMemory = () => useDynamoDB(startDynamoDB);
