import { isPosition } from '../events/check-event.js';
import { optionError } from '../internal/check-options.js';
import { checkWebhookUrl } from './addresses.js';
import { type DeliveryLogEntry, entriesOf, listOf } from './delivery-log.js';
import { createEnsure, type EnsuredWebhook } from './ensure.js';
import { acknowledged, notThisApi, resultOf } from './envelope.js';
import { resolveClientOptions, type WebhookClientOptions } from './options.js';
import { pages } from './pages.js';
import { type Answer, createTransport } from './transport.js';
import { type CreatedWebhook, type NewWebhook, type Webhook, type WebhookChanges, webhookOf } from './webhook.js';

/**
 * Registers and manages webhooks over the service's API. Every method rejects with a `WebhookApiError` when the call fails
 * (`ERR_WEBHOOK_API`, `ERR_WEBHOOK_API_UNREACHABLE`), and with a `ConfigError`, before anything is sent, when an argument
 * is invalid.
 */
export interface WebhookClient {
  /** Identifies the service: host, port and path of `baseUrl`. */
  readonly service: string;
  /**
   * Registers a webhook (spec section 4.1). Never retried: after `ERR_WEBHOOK_API_UNREACHABLE` the webhook may exist.
   *
   * @returns The webhook with its `secret`: store that now.
   */
  create(webhook: NewWebhook): Promise<CreatedWebhook>;
  /** Iterates over all webhooks, fetched page by page. They may be removed meanwhile. */
  list(): AsyncIterable<Webhook>;
  /** Reads a webhook. The live API returns its `secret` too. */
  get(id: number): Promise<Webhook>;
  /**
   * Changes a webhook; absent keys keep their values. Reads it first, because the service requires the whole record.
   */
  update(id: number, changes: WebhookChanges): Promise<Webhook>;
  /** Removes a webhook. */
  remove(id: number): Promise<void>;
  /** Counts the webhooks. */
  count(): Promise<number>;
  /** Iterates over a webhook's delivery log in the service's order, fetched page by page. */
  deliveries(id: number): AsyncIterable<DeliveryLogEntry>;
  /** Counts the entries of a webhook's delivery log. */
  deliveryCount(id: number): Promise<number>;
  /**
   * Creates or updates the webhook with this label, for scripts that run at each deployment. If its URL or subscriptions
   * differ, they are changed; without `subscriptions` the existing ones stay. Calls for one label run one after the other
   * in this process, but two processes can each create a webhook.
   *
   * @returns The webhook, and whether it was `created` or `updated`. Its `secret` is present if it was created, or if the
   * service returns it with every webhook.
   * @throws ConfigError when several webhooks have the label and none has the URL.
   */
  ensure(webhook: NewWebhook): Promise<EnsuredWebhook>;
}

/**
 * Creates a client of the service's API (spec section 4, and the live API's list, read, update, delete and delivery
 * log). It does not check that the service can reach a webhook's URL, and opens no connection until it is used.
 *
 * The API key and the secrets of webhooks appear in no message or log: secrets are not enumerable in results, and the
 * client does not expose the key. Redirects are not followed, and at most 10 MiB of an answer are read. Reads, updates
 * and removals are retried after temporary failures (network, timeouts, 408, 429, 5xx), with growing random pauses or
 * after the `Retry-After` time.
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
 * @param options URL and API key of the service; see {@link WebhookClientOptions}.
 * @returns The client.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is missing, unknown or invalid, such as a URL without TLS.
 */
export function createWebhookClient(options: WebhookClientOptions): WebhookClient {
  const resolved = resolveClientOptions(options);
  const { api } = resolved;
  const call = createTransport(resolved);

  async function count(path: string): Promise<number> {
    const answer = await call({ method: 'GET', path });
    const result = resultOf(answer);
    if (isPosition(result)) return result as number;
    throw notThisApi(answer, 'a count');
  }

  function listed<Item extends { readonly id: number }>(
    path: string,
    itemsOf: (answer: Answer) => Item[],
  ): AsyncIterable<Item> {
    const page = async (limit: number, offset: number) =>
      itemsOf(await call({ method: 'GET', path, query: { limit, offset } }));
    return pages(page, ({ id }) => id);
  }

  async function send(method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown): Promise<Webhook> {
    const answer = await call({ method, path, body });
    const webhook = webhookOf(resultOf(answer), answer);
    if (method === 'POST' && webhook.secret === undefined) throw notThisApi(answer, 'a new webhook with its secret');
    return webhook;
  }

  function check({ label, url }: WebhookChanges): void {
    if (label !== undefined && (typeof label !== 'string' || label === '')) {
      throw optionError('label', 'a non-empty string', label);
    }
    if (url !== undefined) checkWebhookUrl(url, api);
  }

  function checkNew(webhook: NewWebhook): void {
    // `check` accepts an absent key, which for an update means no change.
    check({ label: webhook.label ?? '', url: webhook.url ?? '' });
  }

  const client: Omit<WebhookClient, 'service'> = {
    async create(webhook) {
      checkNew(webhook);
      const { label, url, subscriptions = ['event.emitted', 'transaction.included'] } = webhook;
      const body = subscriptions === null ? { label, url } : { label, url, subscriptions };
      return (await send('POST', '/webhooks', body)) as CreatedWebhook;
    },
    list: () => listed('/webhooks', (answer) => listOf(answer).map((each) => webhookOf(each, answer))),
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
    deliveries: (id) => listed(`${pathOf(id)}/events`, entriesOf),
    deliveryCount: async (id) => count(`${pathOf(id)}/events/count`),
    ensure: (webhook) => ensure(webhook),
  };
  // Not enumerable: logging a client does not show where it sends its key.
  const whole = Object.defineProperty(client, 'service', { value: api.service }) as WebhookClient;
  const ensure = createEnsure(whole, checkNew);
  return whole;
}

function pathOf(id: number): string {
  if (isPosition(id)) return `/webhooks/${id}`;
  throw optionError('id', "a webhook's id, an integer of at least 0", id);
}
