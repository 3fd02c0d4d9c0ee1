import type { WebhookEvent } from 'event-webhook-receiver';
import type { ChainWatcher, WatchChainOptions } from 'event-webhook-receiver/chain';
import type { Faults } from './faults.js';
import type { Registration, WebhookInfo, WebhookWithSecret } from './webhook.js';

/** The service side of the specification, for development and tests. */
export interface LocalService {
  /** Where the API is: `${url}/api/v0/webhooks`. It names the address that the service is bound to. */
  readonly url: string;
  /** Keys for `Authorization: Bearer …`. */
  readonly apiKeys: readonly string[];
  /** What goes wrong on request. */
  readonly faults: Faults;
  /**
   * Changes some of the faults, for every attempt from now on. They end with the service: a file does not keep them.
   *
   * @throws ConfigError `ERR_WEBHOOK_CONFIG` for a fault that is not known.
   */
  setFaults(faults: Partial<Faults>): void;
  /**
   * Registers a webhook (spec section 4.1), and gives its secret this one time.
   *
   * @throws Error with the `status` and `message` that the API answers: 400 for a bad field, 409 for a label that is taken.
   */
  register(registration: Registration): WebhookWithSecret;
  /** The webhooks, oldest first, without their secrets. */
  webhooks(): readonly WebhookInfo[];
  /** Deletes a webhook with all that it has been sent, and ends what is under way. Whether there was one. */
  remove(id: number): boolean;
  /** The secret of a webhook, for those who explain its deliveries. Not for anybody to see. */
  secretOf(webhookId: number): string | undefined;
  /**
   * Puts events on their way to every webhook that subscribes to their kind, in batches. When it returns, they are in the
   * queue (and in the file). A queue that is full gives up its oldest delivery, and warns.
   *
   * @param options `unchecked` also sends what is no valid event, to every webhook: for tests of a receiver's refusals.
   * @throws InvalidEventError `ERR_WEBHOOK_INVALID_EVENT` when one of them is no event of the specification; none is sent.
   */
  emit(events: readonly WebhookEvent[], options?: { readonly unchecked?: false | undefined }): void;
  emit(events: readonly unknown[], options: { readonly unchecked: true }): void;
  /** Sends the bytes of a delivery again, next and signed afresh. False when the delivery is not kept any more. */
  redeliver(deliveryId: string): boolean;
  /** Resolves when every delivery is delivered or given up: nothing is under way, and nothing waits for a retry. */
  idle(): Promise<void>;
  /**
   * Watches a chain and emits what happens on it, until the watcher or the service is closed.
   *
   * @returns The watcher, once the node has answered.
   * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option makes no sense; RpcError `ERR_WEBHOOK_RPC` when the node does
   * not answer at the start.
   */
  watchChain(options: Omit<WatchChainOptions, 'onEvents'>): Promise<ChainWatcher>;
  /** Ends everything that is open. What is undelivered stays in the file. */
  close(): Promise<void>;
}
