import { randomBytes } from 'node:crypto';
import type { WebhookEvent } from 'event-webhook-receiver';
import { ConfigError } from 'event-webhook-receiver';
import type { ChainWatcher } from 'event-webhook-receiver/chain';
import { watchChain } from 'event-webhook-receiver/chain';
import { createApi } from './api.js';
import { type Courier, createCourier } from './courier.js';
import { batchesFor, portions, writeEvents } from './emission.js';
import type { Entry, Progress } from './entry.js';
import { changeFaults, NO_FAULTS } from './faults.js';
import { fileLedger, memoryLedger } from './ledger.js';
import type { LocalService } from './local-service.js';
import { type LocalServiceOptions, resolveOptions } from './options.js';
import { createRegistry } from './registry.js';
import { createSender } from './send.js';
import { serveApi } from './server.js';
import { apply } from './state.js';
import { announce, tellOf } from './tell.js';

/**
 * Starts the service side of the specification on this machine, for development and tests: the registration API (spec
 * section 4), and signed deliveries (section 5.2) in the bytes of the live service, with retries, a delivery log,
 * redelivery and faults on request. It is listening when it resolves. It is no service for production: it delivers at
 * least once and in order to each webhook, keeps the latest 10 000 events (32 MiB) of each, and takes `http:` URLs of
 * this machine.
 *
 * @example
 * ```ts
 * import { createLocalService } from 'event-webhooks/local';
 * import { sampleEventEmitted } from 'event-webhook-receiver/testing';
 *
 * const service = await createLocalService();
 * const { secret } = service.register({ label: 'mine', url: 'http://localhost:3000/webhooks' });
 * console.log(secret.length);
 * service.emit([sampleEventEmitted()]);
 * await service.idle();
 * await service.close();
 * ```
 * @returns The service. Close it, or the process does not end.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option makes no sense, it cannot listen, or the file is not a journal of
 * its own or is in use.
 */
export async function createLocalService(options: LocalServiceOptions = {}): Promise<LocalService> {
  const resolved = resolveOptions(options);
  const { logger, now, maxBatch } = resolved;
  const ledger = resolved.file === undefined ? memoryLedger() : fileLedger(resolved.file, { logger });
  const { state } = ledger;
  const sender = createSender();
  const tell = tellOf(resolved);
  const couriers = new Map<number, Courier>();
  const watchers = new Set<ChainWatcher>();
  let faults = NO_FAULTS;
  let closed: Promise<void> | undefined;

  function checkOpen(): void {
    if (closed) throw new ConfigError('The local service is closed.');
  }

  function courierOf(webhookId: number): Courier | undefined {
    const webhook = state.webhooks.get(webhookId);
    let courier = couriers.get(webhookId);
    if (courier === undefined && webhook !== undefined) {
      courier = createCourier(webhook, {
        ...{ options: resolved, sender, faults: () => faults, tell: tell.delivery },
        record,
      });
      couriers.set(webhookId, courier);
    }
    return courier;
  }

  /** What the file cannot take is still so: after a restart it is done again. */
  function record(progress: Progress): void {
    try {
      ledger.commit(progress);
    } catch (error) {
      logger?.error({ err: error }, 'the file of the local service cannot be written');
      apply(state, progress);
    }
  }

  function commit(entry: Entry): void {
    checkOpen();
    ledger.commit(entry);
    tell.change();
  }

  const registry = createRegistry(state, commit, now);

  function remove(id: number): boolean {
    const removed = registry.remove(id);
    couriers.get(id)?.stop();
    couriers.delete(id);
    return removed;
  }

  const { key = randomBytes(24).toString('base64url') } = state;
  const apiKeys = resolved.apiKeys ?? [key];
  if (resolved.apiKeys === undefined && state.key === undefined) ledger.commit({ type: 'key', key });
  const api = createApi(state, { ...registry, remove }, resolved.secretInRecords);
  const server = await serveApi(api, { ...resolved, apiKeys }).catch((error) => {
    ledger.close();
    throw error;
  });
  announce(server.url, resolved);

  const service: LocalService = {
    url: server.url,
    apiKeys: [...apiKeys],
    get faults() {
      return faults;
    },
    setFaults(changes) {
      faults = changeFaults(faults, changes);
      tell.change();
      for (const courier of couriers.values()) courier.wake();
    },
    register: (registration) => registry.register(registration),
    webhooks: registry.list,
    remove,
    secretOf: (webhookId) => state.webhooks.get(webhookId)?.record.secret,
    emit(events: readonly unknown[], { unchecked = false }: { readonly unchecked?: boolean | undefined } = {}) {
      checkOpen();
      const written = writeEvents(events, unchecked);
      const batches = batchesFor(state, written, { maxBatch, lastFirst: faults.reorder });
      if (batches.length === 0) return;
      const dropped = ledger.commit({ type: 'emitted', at: now(), batches });
      for (const delivery of dropped) tell.dropped(state.webhooks.get(delivery.webhookId), delivery);
      for (const webhookId of state.webhooks.keys()) courierOf(webhookId)?.wake();
    },
    redeliver(deliveryId) {
      checkOpen();
      for (const { deliveries, record } of state.webhooks.values()) {
        const delivery = deliveries.get(Number(deliveryId));
        if (delivery === undefined || String(delivery.id) !== deliveryId) continue;
        const { id, webhookId, deliveredAt } = delivery;
        ledger.commit({ type: 'progress', id, webhookId, attempts: [], failures: 0, state: 'pending', deliveredAt });
        courierOf(record.id)?.prompt(delivery);
        return true;
      }
      return false;
    },
    async idle() {
      while ([...couriers.values()].some((courier) => courier.busy)) {
        await Promise.all([...couriers.values()].map((courier) => courier.idle()));
      }
    },
    async watchChain(watchOptions) {
      checkOpen();
      const onEvents = (events: readonly WebhookEvent[]) => {
        // Each log of a transaction has all of its call data: those of one may be more than fits into one call.
        for (const some of portions(events, (event) => JSON.stringify(event).length)) service.emit(some);
      };
      const watcher = await watchChain({ logger, ...watchOptions, onEvents });
      watchers.add(watcher);
      if (closed) await watcher.close();
      return watcher;
    },
    close() {
      closed ??= (async () => {
        for (const courier of couriers.values()) courier.stop();
        await Promise.all([...watchers].map((watcher) => watcher.close()));
        await server.close();
        await Promise.all([...couriers.values()].map((courier) => courier.idle()));
        sender.close();
        ledger.close();
      })();
      return closed;
    },
  };
  for (const webhookId of state.webhooks.keys()) courierOf(webhookId)?.wake();
  return service;
}
