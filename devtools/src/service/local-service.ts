import type { WebhookEvent } from 'event-webhook-receiver';
import type { ChainWatcher, WatchChainOptions } from 'event-webhook-receiver/chain';
import type { Faults } from './faults.js';
import type { HeldQueue } from './queues.js';
import type { CreatedWebhook, NewWebhook, Webhook } from './webhook.js';

/** The sender side of the specification, for development and tests. */
export interface LocalService {
  /** The base URL of the API: `${url}/api/v0/webhooks`. Its host is the address that the service is bound to. */
  readonly url: string;
  /** Keys for `Authorization: Bearer …`. */
  readonly apiKeys: readonly string[];
  /** The faults that are on. */
  readonly faults: Faults;
  /**
   * Changes some of the faults, for every attempt from now on. A `file` does not keep them.
   *
   * @throws ConfigError `ERR_WEBHOOK_CONFIG` for an unknown fault or a wrong value.
   */
  setFaults(faults: Partial<Faults>): void;
  /**
   * Creates a webhook (spec section 4.1). Only here is its secret returned.
   *
   * @throws Error with the `status` and `message` of the API: 400 for an invalid field, 409 for a label in use.
   */
  register(webhook: NewWebhook): CreatedWebhook;
  /** The webhooks, oldest first, without their secrets. */
  webhooks(): readonly Webhook[];
  /** Deletes a webhook and its deliveries, and aborts its delivery in flight. Returns whether the webhook existed. */
  remove(id: number): boolean;
  /** The secret of a webhook, for `explainFailure`. Do not show it. */
  secretOf(webhookId: number): string | undefined;
  /**
   * Queues events, in batches, for every webhook that subscribes to their kind. When it returns, they are in the queue, and
   * in `file` if there is one. A full queue gives up its oldest delivery and logs a warning.
   *
   * @param options `unchecked` also sends invalid events, to every webhook: to test what a receiver refuses.
   * @throws InvalidEventError `ERR_WEBHOOK_INVALID_EVENT` when an event does not match the specification; ConfigError
   * `ERR_WEBHOOK_CONFIG` when they are too large, or `file` cannot be written. No event is sent then.
   */
  emit(events: readonly WebhookEvent[], options?: { readonly unchecked?: false | undefined }): void;
  emit(events: readonly unknown[], options: { readonly unchecked: true }): void;
  /** Sends the bytes of a delivery again, before all others and with a new signature. Returns false when the delivery is no longer kept. */
  redeliver(deliveryId: string): boolean;
  /**
   * Signs bytes unchecked and sends them before all other deliveries of a webhook, to test how a receiver reacts. They
   * are sent once: a refusal is not retried, so that it does not hold back other deliveries.
   *
   * @param rawBody 1 byte to 10 MiB.
   * @returns The id of the delivery.
   * @throws Error with `status` 404 when the webhook does not exist; ConfigError `ERR_WEBHOOK_CONFIG` when the body has
   * another size, or `file` cannot be written.
   */
  deliver(webhookId: number, rawBody: Uint8Array): string;
  /** The webhooks whose deliveries wait behind one that failed and is retried. */
  queues(): readonly HeldQueue[];
  /**
   * Sends the delivery that holds back a webhook now, with as many retries as a new one. Returns its id; undefined when none
   * is held back.
   */
  retry(webhookId: number): string | undefined;
  /** Resolves when every delivery has been delivered or given up. */
  idle(): Promise<void>;
  /**
   * Watches a chain and emits its events until the watcher or the service is closed.
   *
   * @returns The watcher, once the node has answered.
   * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is invalid; RpcError `ERR_WEBHOOK_RPC` when the node does not
   * answer at the start.
   */
  watchChain(options: Omit<WatchChainOptions, 'onEvents'>): Promise<ChainWatcher>;
  /** Closes all connections. Undelivered events stay in `file`. */
  close(): Promise<void>;
}
