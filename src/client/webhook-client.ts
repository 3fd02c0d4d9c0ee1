import { ConfigError } from '../errors.js';
import { isPosition } from '../events/field-rules.js';
import { checkWebhookUrl } from './addresses.js';
import { type DeliveryLogEntry, entriesOf, listOf } from './delivery-log.js';
import { createEnsure, type EnsuredWebhook } from './ensure.js';
import { resolveClientOptions, type WebhookClientOptions } from './options.js';
import { type PageOptions, pages } from './pages.js';
import { type RecoveringReceiver, type RecoverOptions, type Recovery, recoverMissed } from './recover-missed.js';
import { acknowledged, notThisApi, resultOf } from './result.js';
import { createTransport } from './transport.js';
import { type CreatedWebhook, type NewWebhook, type Webhook, type WebhookChanges, webhookOf } from './webhook.js';

/**
 * Registers and looks after webhooks over the service's API. Every method rejects with a `WebhookApiError` when the
 * call fails (`ERR_WEBHOOK_API`, `ERR_WEBHOOK_API_UNREACHABLE`), and with a `ConfigError` before anything is sent when
 * its arguments make no sense.
 */
export interface WebhookClient {
  /**
   * Registers a webhook (spec section 4.1). Never tried again: after `ERR_WEBHOOK_API_UNREACHABLE` it may exist.
   *
   * @returns The record with its `secret`: store that now.
   */
  create(webhook: NewWebhook): Promise<CreatedWebhook>;
  /** All webhooks, fetched page by page while they are iterated over. They may be removed meanwhile. */
  list(options?: PageOptions): AsyncIterable<Webhook>;
  /** One webhook. The live API gives its `secret` too. */
  get(id: number): Promise<Webhook>;
  /** Changes a webhook. What is not given stays: it is read first, as the service wants the whole record. */
  update(id: number, changes: WebhookChanges): Promise<Webhook>;
  /** Removes a webhook. */
  remove(id: number): Promise<void>;
  /** How many webhooks there are. */
  count(): Promise<number>;
  /** A webhook's delivery log, in the service's order, fetched page by page while it is iterated over. */
  deliveries(id: number, options?: PageOptions): AsyncIterable<DeliveryLogEntry>;
  /** How many entries a webhook's delivery log has. */
  deliveryCount(id: number): Promise<number>;
  /**
   * Has a webhook of this label deliver to this URL, for scripts that run at each deployment. One that has the label and
   * another URL or other subscriptions is changed; without `subscriptions` those that it has stay. Calls for one label
   * in this process wait for each other; those of several processes can each create one.
   *
   * @returns The webhook, and whether it was `created` or `updated`. Its `secret` is there when it was created, and
   * where the service gives it with every record.
   * @throws ConfigError when several webhooks have the label and none of them the URL.
   */
  ensure(webhook: NewWebhook): Promise<EnsuredWebhook>;
  /**
   * Feeds the events that the delivery log calls undelivered to a receiver, oldest first, in signed deliveries: they
   * are verified, deduplicated and handled as any other. Failures are in what it resolves to; it rejects when the log
   * cannot be read.
   *
   * **What deduplicates.** The log does not hold the id that an event has on the wire, so each gets one made of its entry:
   * `delivery-log:<service>:<webhookId>:<entry id>`, where the service is host, port and path of `baseUrl`. By it a second
   * recovery finds the first; when `baseUrl` changes it no longer does, unless you give the option `eventId`. But an event
   * that is *also* delivered live, before or after, is known as the same only when the receiver's `idempotencyKey` looks
   * at the chain and not at `event.id`: give it `logIdentity` of `./evm`. That covers `event.emitted`; a
   * `transaction.included` needs a key made of what is in its `data`.
   *
   * **The log never learns of it.** What was recovered stays undelivered there, so each run finds it again. Keep `since`
   * within what the receiver's store remembers (`memoryStore`: 24 hours of one process).
   *
   * @throws ConfigError `ERR_WEBHOOK_CONFIG` when the service does not give the webhook's secret and the options hold none.
   */
  recoverMissed(webhookId: number, receiver: RecoveringReceiver, options?: RecoverOptions): Promise<Recovery>;
}

/**
 * Creates a client of the service's API (spec section 4, and the live API's list, read, update, delete and delivery log).
 * It opens nothing until it is used. The API key and the secrets of webhooks are in no message and no log: they are not
 * enumerable in what it gives back, nor to be seen in the client itself.
 *
 * A redirect is never followed, an answer is read up to 10 MiB, and reading, changing and removing are tried again after
 * what may pass (the network, time-outs, 408, 429, 5xx), with growing pauses of random length, or as `Retry-After` says.
 *
 * @example
 * ```ts
 * import { createWebhookClient } from 'event-webhook-receiver/client';
 *
 * const client = createWebhookClient({ baseUrl: 'https://service.example', apiKey: process.env.API_KEY ?? '' });
 * const { webhook, created } = await client.ensure({ label: 'orders', url: 'https://shop.example/webhooks' });
 * console.log(webhook.id, created);
 * for await (const { id, label, url } of client.list()) console.log(id, label, url);
 * ```
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is missing or makes no sense: an empty key, a URL without TLS.
 */
export function createWebhookClient(options: WebhookClientOptions): WebhookClient {
  const resolved = resolveClientOptions(options);
  const { api } = resolved;
  const call = createTransport(resolved);

  async function count(path: string): Promise<number> {
    const answer = await call({ method: 'GET', path });
    const { result } = resultOf(answer);
    if (isPosition(result)) return result as number;
    throw notThisApi(answer, 'a count');
  }

  async function send(method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown): Promise<Webhook> {
    const answer = await call({ method, path, body });
    const webhook = webhookOf(resultOf(answer).result, answer);
    if (method === 'POST' && webhook.secret === undefined) throw notThisApi(answer, 'a new webhook with its secret');
    return webhook;
  }

  function check({ label, url }: WebhookChanges): void {
    if (label !== undefined && (typeof label !== 'string' || label === '')) {
      throw new ConfigError("A webhook's label must be text that is not empty.");
    }
    if (url !== undefined) checkWebhookUrl(url, api);
  }

  function checkNew(webhook: NewWebhook): void {
    // What is absent would pass for what stays.
    check({ label: webhook.label ?? '', url: webhook.url ?? '' });
  }

  const client: WebhookClient = {
    async create(webhook) {
      checkNew(webhook);
      const { label, url, subscriptions = ['event.emitted', 'transaction.included'] } = webhook;
      const body = subscriptions === null ? { label, url } : { label, url, subscriptions };
      return (await send('POST', '/webhooks', body)) as CreatedWebhook;
    },
    list: (options) =>
      pages(async (limit, offset) => {
        const answer = await call({ method: 'GET', path: '/webhooks', query: { limit, offset } });
        return listOf(resultOf(answer).result, answer).map((each) => webhookOf(each, answer));
      }, options),
    get: async (id) => send('GET', pathOf(id)),
    async update(id, changes) {
      const path = pathOf(id);
      check(changes);
      const now = await send('GET', path);
      const { label = now.label, url = now.url, subscriptions = now.subscriptions } = changes;
      return send('PUT', path, { label, url, ...(subscriptions && { subscriptions }) });
    },
    async remove(id) {
      acknowledged(await call({ method: 'DELETE', path: pathOf(id) }));
    },
    count: () => count('/webhooks/count'),
    deliveries(id, options) {
      const path = `${pathOf(id)}/events`;
      return pages(
        async (limit, offset) => entriesOf(await call({ method: 'GET', path, query: { limit, offset } })),
        options,
      );
    },
    deliveryCount: async (id) => count(`${pathOf(id)}/events/count`),
    ensure: (webhook) => ensure(webhook),
    recoverMissed: (webhookId, receiver, options) =>
      recoverMissed({ ...client, service: api.service }, webhookId, receiver, options),
  };
  const ensure = createEnsure(client, checkNew);
  return client;
}

function pathOf(id: number): string {
  if (isPosition(id)) return `/webhooks/${id}`;
  throw new ConfigError("A webhook's id must be a whole number from 0 up.");
}
