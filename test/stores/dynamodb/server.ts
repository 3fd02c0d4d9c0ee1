import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type * as Testing from '../../../examples/serverless/testing/dynamodb.js';
import { startDynamoDB } from '../../../examples/servers/dynamodb.js';
import { useServer } from '../../servers/use-server.js';

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
  let sdk: typeof Testing;
  const server = useServer(async () => {
    sdk = await importServerless('dynamodb');
    const started = await start();
    await sdk.createTables(started.url);
    return started;
  });
  return {
    server,
    /** A client with the stores on it, like another replica. Closed after the test. */
    open(name: ClientName, settings?: Testing.OpenSettings, url = server().url): Testing.Opened {
      const opened = (sdk.clients[name] as NonNullable<(typeof sdk.clients)[string]>)(url, settings);
      onTestFinished(() => opened.close());
      return opened;
    },
  };
}

/** An error in place of an answer of DynamoDB. */
export const refusal = (name: string) => ({
  status: 400,
  body: JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: 'of the front' }),
});

export const useMemory = () => useDynamoDB(startDynamoDB);
