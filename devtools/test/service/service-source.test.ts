import { createReceiver, memoryStore } from 'event-webhook-receiver';
import { reconcile, serviceSource } from 'event-webhook-receiver/chain';
import { createWebhookClient } from 'event-webhook-receiver/client';
import { logIdentity } from 'event-webhook-receiver/evm';
import { nodeHandler } from 'event-webhook-receiver/node';
import { expect, it, onTestFinished } from 'vitest';
import { startRecordedChain } from '../../../examples/demo/recorded-chain.js';
import { tokenAbi } from '../../../examples/erc20-ledger/token.js';
import { listening } from './receivers.js';
import { serving } from './service.js';

const HOUR = 3_600_000;

/** A local service that has tried once each to deliver the logs of a recorded chain to a receiver that was down. */
async function missed() {
  const chain = await startRecordedChain({ blockMs: 0 });
  onTestFinished(() => chain.close());
  const { blocks, token } = chain.recording;
  const total = blocks.flatMap(({ logs }) => logs).length;
  const retries = { attempts: 100, initialDelayMs: HOUR, maxDelayMs: HOUR };
  const { service, changed } = await serving({ retries });
  const taken: string[] = [];
  let secret = '';
  const receiver = createReceiver({
    secret: () => secret,
    toleranceSeconds: 300,
    // The recorded blocks are old.
    store: { ...memoryStore(), rememberedSince: () => 0 },
    idempotencyKey: (event) => logIdentity(event, { chainId: 31_337 }),
    async onEvent(event) {
      taken.push(logIdentity(event, { chainId: 31_337 }));
    },
  });
  let isDown = true;
  const handle = nodeHandler(receiver);
  const { url } = await listening((request, response) => {
    if (isDown) request.socket.destroy();
    else void handle(request, response);
  });
  const webhook = service.register({ label: 'mine', url, subscriptions: ['event.emitted'] });
  secret = webhook.secret;
  const contract = { address: token, abi: tokenAbi, name: 'Token', label: 'token' };
  await service.watchChain({ rpcUrl: chain.url, contracts: [contract], fromBlock: 0, pollIntervalMs: 1 });
  while (chain.release());
  await changed(({ state, nextAttemptAt }) => state === 'pending' && nextAttemptAt !== undefined);
  const client = createWebhookClient({ baseUrl: service.url, apiKey: service.apiKeys[0] as string });
  while ((await client.deliveryCount(webhook.id)) < total) await new Promise(setImmediate);
  return {
    ...{ service, client, receiver, webhook, taken, total },
    /** Sends everything live, as the service would by and by. */
    async comeUp() {
      isDown = false;
      const ids = new Set<string>();
      for (let id = 1; service.redeliver(String(id)); id++) ids.add(String(id));
      await service.idle();
      return ids.size;
    },
  };
}

it('reconcile with serviceSource has each log that the service could not deliver handled once, also if it comes live later', async () => {
  const { client, receiver, webhook, taken, total, comeUp } = await missed();
  const source = serviceSource(client, webhook.id, { chainId: 31_337, minAgeSeconds: 0 });
  let kept: string | undefined;
  const cursor = {
    read: () => kept,
    write(next: string) {
      kept = next;
      return true;
    },
  };
  const run = () => reconcile({ source, receiver, from: 0, cursor, keySource: false });
  expect(await run()).toMatchObject({ found: total, repaired: total, failed: 0, left: 0 });
  expect(await comeUp()).toBeGreaterThan(0);
  expect([taken.length, new Set(taken).size]).toEqual([total, total]);
  expect(await run()).toMatchObject({ found: 0 });
});
