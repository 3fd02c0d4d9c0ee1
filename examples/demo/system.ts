// Everything between the chain and the handler: the local service, and an Express receiver that is registered with it.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createReceiver, createRouter, type WebhookError } from 'event-webhook-receiver';
import { createWebhookClient } from 'event-webhook-receiver/client';
import { contractEvent, logIdentity } from 'event-webhook-receiver/evm';
import { createLocalService, type LocalDelivery } from 'event-webhooks/local';
import type { tokenAbi } from '../erc20-ledger/token.js';
import { createApp } from '../express/app.js';
import { CHAIN_ID, type DemoChain } from './chain.js';

/** What the handler was given, by the hash of the transaction. */
export type Ledger = Map<string, { amount: bigint; times: number }>;

export type System = Awaited<ReturnType<typeof startSystem>>;

export async function startSystem(chain: DemoChain, onDelivery: (delivery: LocalDelivery) => void) {
  const deliveries = new Map<string, LocalDelivery>();
  const watching = new Set<() => void>();
  const service = await createLocalService({
    retries: { initialDelayMs: 300, maxDelayMs: 300 },
    onDelivery(delivery) {
      deliveries.set(delivery.id, delivery);
      onDelivery(delivery);
      for (const look of watching) look();
    },
  });

  const ledger: Ledger = new Map();
  const refusals: WebhookError[] = [];
  let failures = 0;
  let secret = '';
  const { abi, address } = chain.token as { abi: typeof tokenAbi; address: string };
  const router = createRouter().on(contractEvent({ abi, name: 'Transfer', address }), ({ args, log, event }) => {
    if (failures > 0) {
      failures--;
      throw new Error('the database is away');
    }
    const hash = log?.transactionHash ?? event.id;
    ledger.set(hash, { amount: args.value, times: (ledger.get(hash)?.times ?? 0) + 1 });
  });
  const receiver = createReceiver({
    secret: () => secret,
    idempotencyKey: (event) => logIdentity(event, { chainId: CHAIN_ID }),
    onEvent: router.dispatch,
    onError: (error) => void refusals.push(error),
  });
  const server = createApp(receiver).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;

  const client = createWebhookClient({ baseUrl: service.url, apiKey: service.apiKeys[0] ?? '' });
  const webhook = await client.create({ label: 'demo', url });
  secret = webhook.secret ?? '';
  const watcher = await service.watchChain({
    rpcUrl: chain.rpcUrl,
    contracts: [{ ...chain.token, name: 'Token', label: 'token' }],
    pollIntervalMs: 50,
  });

  return {
    service,
    watcher,
    webhook,
    url,
    secret,
    ledger,
    refusals,
    /** Has the handler fail so many times from now on. */
    fail: (times: number) => {
      failures = times;
    },
    /** Resolves with the delivery of a transaction, as soon as it is one that is waited for. */
    delivery(hash: string, isIt: (delivery: LocalDelivery) => boolean): Promise<LocalDelivery> {
      return new Promise((resolve) => {
        const look = () => {
          const found = [...deliveries.values()].find(
            (delivery) => Buffer.from(delivery.rawBody).includes(hash) && isIt(delivery),
          );
          if (found === undefined) return;
          watching.delete(look);
          resolve(found);
        };
        watching.add(look);
        look();
      });
    },
    async close() {
      await service.close();
      await receiver.drain();
      server.close();
      server.closeAllConnections();
    },
  };
}
