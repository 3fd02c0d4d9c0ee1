import { randomBytes } from 'node:crypto';
import type { WebhookEvent } from 'event-webhook-receiver';
import { ConfigError } from 'event-webhook-receiver';
import type { ChainWatcher } from 'event-webhook-receiver/chain';
import { watchChain } from 'event-webhook-receiver/chain';
import { createApi } from './api.js';
import { type Courier, createCourier } from './courier.js';
import { type Delivery, newDelivery } from './delivery.js';
import { eventsIn } from './delivery-log.js';
import { deliveriesFor, portions, writeEvents } from './emission.js';
import { changeFaults, NO_FAULTS } from './faults.js';
import type { LocalService } from './local-service.js';
import { announce, createNotifier } from './notify.js';
import { type LocalServiceOptions, resolveOptions } from './options.js';
import { heldQueues } from './queues.js';
import { createRegistry } from './registry.js';
import { createSender } from './send.js';
import { serveApi } from './server.js';
import { apply, type Change } from './state.js';
import { fileStorage, memoryStorage } from './storage.js';

/** The largest body that receivers accept. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;

/**
 * Starts the sender side of the specification on this machine, for development and tests: the registration API (spec
 * section 4) and signed deliveries (section 5.2), byte for byte as the live service sends them, with retries, a delivery
 * log, redelivery and faults on request. It listens when the promise resolves. It is not for production: it delivers at
 * least once and in order to each webhook, keeps the latest 10 000 events (32 MiB) of each, and accepts `http:` URLs of
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
 * @returns The service. The process does not end until you close it.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is invalid, it cannot listen, or `file` is in use, damaged or was not
 * created by a local service.
 */
export async function createLocalService(options: LocalServiceOptions = {}): Promise<LocalService> {
  const resolved = resolveOptions(options);
  const { logger, now } = resolved;
  const storage = resolved.file === undefined ? memoryStorage() : await fileStorage(resolved.file);
  const { state } = storage;
  const sender = createSender();
  const notify = createNotifier(resolved);
  const couriers = new Map<number, Courier>();
  const watchers = new Set<ChainWatcher>();
  let faults = NO_FAULTS;
  let closed: Promise<void> | undefined;

  function checkOpen(): void {
    if (closed) throw new ConfigError('The local service is closed. Create another one with `createLocalService`.');
  }

  function courierOf(webhookId: number): Courier | undefined {
    const webhook = state.webhooks.get(webhookId);
    let courier = couriers.get(webhookId);
    if (courier === undefined && webhook !== undefined) {
      courier = createCourier(webhook, {
        ...{ options: resolved, sender, faults: () => faults, record, notify: notify.delivery },
      });
      couriers.set(webhookId, courier);
    }
    return courier;
  }

  /** Progress counts even if the file cannot be written: a restart then repeats the delivery. */
  function record(change: Change): void {
    try {
      storage.commit(change);
    } catch (error) {
      logger?.error({ err: error }, 'the progress of a delivery could not be stored');
      apply(state, change);
    }
  }

  function commit(change: Change): void {
    checkOpen();
    storage.commit(change);
    notify.change();
  }

  function enqueue(deliveries: readonly Delivery[]): void {
    const dropped = storage.commit({ deliveries });
    for (const delivery of dropped) notify.dropped(state.webhooks.get(delivery.webhookId), delivery);
    notify.change();
  }

  /** Sends a delivery again, before all others. */
  function prompt(delivery: Delivery, failures: number): void {
    storage.commit({ deliveries: [{ ...delivery, failures, state: 'pending', nextAttemptAt: undefined }] });
    courierOf(delivery.webhookId)?.prompt(delivery.id);
    notify.change();
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
  if (resolved.apiKeys === undefined && state.key === undefined) storage.commit({ key });
  const api = createApi(state, { ...registry, remove }, resolved.secretInRecords);
  const server = await serveApi(api, { ...resolved, apiKeys }).catch((error) => {
    storage.close();
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
      notify.change();
      for (const courier of couriers.values()) courier.wake();
    },
    register: (webhook) => registry.register(webhook),
    webhooks: registry.list,
    remove,
    secretOf: (webhookId) => state.webhooks.get(webhookId)?.record.secret,
    emit(events: readonly unknown[], { unchecked = false }: { readonly unchecked?: boolean | undefined } = {}) {
      checkOpen();
      const written = writeEvents(events, unchecked);
      const deliveries = deliveriesFor(state, written, { lastFirst: faults.reorder, createdAt: now() });
      if (deliveries.length === 0) return;
      enqueue(deliveries);
      for (const webhookId of state.webhooks.keys()) courierOf(webhookId)?.wake();
    },
    deliver(webhookId, rawBody) {
      checkOpen();
      // Throws if the id does not exist.
      registry.get(webhookId);
      if (!(rawBody instanceof Uint8Array) || rawBody.length < 1 || rawBody.length > MAX_BODY_BYTES) {
        throw new ConfigError('`rawBody` must be a Uint8Array of 1 byte to 10 MiB.');
      }
      const { delivery: id, event: firstEvent } = state.next;
      const unchecked = { body: new Uint8Array(rawBody), once: true } as const;
      const events = eventsIn(unchecked).length;
      const delivery = newDelivery({ ...unchecked, id, webhookId, events, firstEvent, createdAt: now() });
      enqueue([delivery]);
      courierOf(webhookId)?.prompt(id);
      return String(id);
    },
    queues: () => heldQueues(state, couriers),
    retry(webhookId) {
      checkOpen();
      const held = couriers.get(webhookId)?.held();
      if (held === undefined) return undefined;
      // It still counts as failed, so that its queue is still shown as held back.
      if (!held.isInFlight) prompt(held.delivery, 1);
      return String(held.delivery.id);
    },
    redeliver(deliveryId) {
      checkOpen();
      for (const { deliveries } of state.webhooks.values()) {
        const delivery = deliveries.get(Number(deliveryId));
        if (delivery === undefined || String(delivery.id) !== deliveryId) continue;
        prompt(delivery, 0);
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
        // Each event repeats the call data of its transaction, so together they may exceed what one call accepts.
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
        storage.close();
      })();
      return closed;
    },
  };
  for (const webhookId of state.webhooks.keys()) courierOf(webhookId)?.wake();
  return service;
}
