// Deploys the function to a host on this machine, delivers to it while instances are killed and frozen, and counts the
// effects in DynamoDB Local.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { build } from 'esbuild';
import { dynamodbTable } from 'event-webhook-receiver/stores/dynamodb';
import { createTestDelivery, sampleEventEmitted } from 'event-webhook-receiver/testing';
import { startDynamoDB } from '../../servers/dynamodb.js';
import { type Host, startHost } from './host.js';

const DELIVERIES = 60;
const AT_ONCE = 4;
/** How many instances are killed, and how many are frozen, in the middle of an invocation. */
const FAULTS = 5;
const LEASE_MS = 1500;
/** The sender gives up on an answer, and sends the delivery again, while the first one may still be handled. */
const SENDER_MS = 1000;
const [KEYS_TABLE, TRANSFERS_TABLE] = ['webhook-keys', 'transfers'];

/** @returns Whether every event took effect exactly once. */
export async function drive(secret: string, cleanUp: (() => unknown)[]): Promise<boolean> {
  const dynamodb = await startDynamoDB();
  cleanUp.unshift(() => dynamodb.stop());
  const aws = {
    AWS_REGION: 'local',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: dynamodb.url,
  };
  Object.assign(process.env, aws);
  const client = new DynamoDB({});
  cleanUp.unshift(() => client.destroy());
  await client.createTable(dynamodbTable({ table: KEYS_TABLE }).table);
  await client.createTable({
    TableName: TRANSFERS_TABLE,
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  });

  const directory = await mkdtemp(join(tmpdir(), 'lambda-'));
  cleanUp.unshift(() => rm(directory, { recursive: true, force: true }));
  await bundle(directory);
  const env = { ...aws, NODE_NO_WARNINGS: '1', HANDLER: join(directory, 'handler.cjs'), WEBHOOK_SECRET: secret };
  const host = await startHost({
    program: join(directory, 'instance.cjs'),
    env: { ...env, KEYS_TABLE, TRANSFERS_TABLE, LEASE_MS: String(LEASE_MS) },
    timeoutMs: 3000,
    maxInstances: AT_ONCE + 1,
  });
  cleanUp.unshift(() => host.close());
  console.log(`host     | HTTP API at ${host.url}, a function timeout of 3 s, a lease of ${LEASE_MS} ms`);

  const { ids, sent } = await deliverAll(host, secret);
  const effects = await effectsIn(client);
  const missing = ids.filter((id) => !effects.has(id)).length;
  const twice = [...effects.values()].filter((count) => count > 1).length;
  const { started, thawed } = host.counts;
  console.log(`host     | started ${started} instances and thawed one ${thawed} times`);
  console.log(
    `${ids.length} events in ${DELIVERIES} deliveries, sent ${sent} times over ${FAULTS} kills and ${FAULTS} freezes: ${missing} missing, ${twice} twice`,
  );
  return missing === 0 && twice === 0;
}

/** One file for each program, as for a deployment. */
async function bundle(outdir: string): Promise<void> {
  const here = fileURLToPath(new URL('.', import.meta.url));
  await build({
    entryPoints: ['handler.ts', 'instance.ts'].map((file) => join(here, file)),
    outdir,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    target: 'node20',
    // The library as it is published, not its sources.
    tsconfigRaw: {},
  });
}

async function deliverAll(host: Host, secret: string): Promise<{ ids: string[]; sent: number }> {
  const deliveries = Array.from({ length: DELIVERIES }, (_, index) =>
    Array.from({ length: 1 + (index % 3) }, () => sampleEventEmitted()),
  );
  let sent = 0;
  let acknowledged = 0;

  /** Redelivers until the answer is 200, as the service does, and once more then. */
  async function deliver(events: readonly object[]): Promise<void> {
    const { rawBody: body, headers } = createTestDelivery([...events], { secret });
    for (let successes = 0; successes < 2; ) {
      sent++;
      const signal = AbortSignal.timeout(SENDER_MS);
      const status = await fetch(host.url, { method: 'POST', headers, body, signal }).then(
        (response) => response.status,
        () => 0,
      );
      if (status === 200) successes++;
      else await sleep(100);
    }
    acknowledged++;
  }

  /** Kills and freezes instances in turn, spread over all deliveries. */
  async function disturb(): Promise<void> {
    const freezes: Promise<void>[] = [];
    for (let count = 1; count <= 2 * FAULTS; count++) {
      while (acknowledged < (count * DELIVERIES) / (2 * FAULTS + 1)) await sleep(1);
      if (count % 2 === 1) await host.kill();
      else freezes.push(host.freeze(LEASE_MS + 500));
      const what = count % 2 === 1 ? 'killed an instance' : 'froze an instance beyond its lease';
      console.log(`host     | ${what} after ${acknowledged} of ${DELIVERIES} deliveries`);
    }
    await Promise.all(freezes);
  }

  const waiting = [...deliveries];
  const sender = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await deliver(next);
  };
  await Promise.all([disturb(), ...Array.from({ length: AT_ONCE }, sender)]);
  return { ids: deliveries.flat().map(({ id }) => id), sent };
}

/** How often each event took effect. */
async function effectsIn(client: DynamoDB): Promise<Map<string, number>> {
  const { Items = [] } = await client.scan({ TableName: TRANSFERS_TABLE, ConsistentRead: true });
  return new Map(Items.map(({ id, effects }) => [id?.S ?? '', Number(effects?.N)]));
}
