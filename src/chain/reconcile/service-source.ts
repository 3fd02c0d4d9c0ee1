import { type DeliveryLogEntry, entryIds, eventOf, isDelivered } from '../../client/delivery-log.js';
import type { WebhookClient } from '../../client/webhook-client.js';
import { ConfigError } from '../../errors.js';
import { isHash } from '../../evm/hex.js';
import { checkFunction, checkNumber, checkOptions, optionError } from '../../internal/check-options.js';
import { isRecord } from '../../internal/guards.js';
import { earliest, type Listed, readerOf } from './listed.js';
import type { ReconcileSource } from './source.js';

/** Options of {@link serviceSource}. */
export interface ServiceSourceOptions {
  /** Chain ID of the service, which the log does not contain. (Default: the one in the receiver's keys.) */
  readonly chainId?: number | undefined;
  /** Whether to read delivered entries, too. (Default: false.) */
  readonly delivered?: boolean | undefined;
  /**
   * Minimum age of entries in seconds. Younger ones are left for the next run: the service may still be delivering or
   * writing them. (Default: 300.)
   */
  readonly minAgeSeconds?: number | undefined;
  /**
   * Whether the service lists the newest entry first. If true, only entries since the last run are read, and a list in
   * another order is an error. (Default: false: every run reads the whole log.)
   */
  readonly newestFirst?: boolean | undefined;
  /** Returns the event `id` for an entry. (Default: `delivery-log:<service>:<webhookId>:<entry id>`.) */
  readonly eventId?: ((entry: DeliveryLogEntry) => string) | undefined;
  /** Clock, in epoch milliseconds. (Default: `Date.now`.) */
  readonly now?: (() => number) | undefined;
}

const OPTIONS = ['chainId', 'delivered', 'minAgeSeconds', 'newestFirst', 'eventId', 'now'];
const KINDS = ['event.emitted', 'transaction.included'];

/**
 * Reads the undelivered entries of the service's delivery log, for `reconcile`. Positions are entry ids. It sees only
 * what the service has logged: use `chainSource` to find events that the service missed.
 *
 * The log does not contain event ids, so the receiver must identify events by `logIdentity`. A `transaction.included`
 * without `blockHash` or `tx.hash` has no such key, and is skipped unless `eventId` returns the ids of the deliveries.
 * Entries of unknown types are skipped, too.
 *
 * @example
 * ```ts
 * import { serviceSource } from 'event-webhook-receiver/chain';
 * import { createWebhookClient } from 'event-webhook-receiver/client';
 *
 * const client = createWebhookClient({ baseUrl: 'https://service.example', apiKey: process.env.API_KEY ?? '' });
 * export const source = serviceSource(client, 1, { chainId: 1 });
 * ```
 * @param client The client of the service's API.
 * @param webhookId The webhook's id.
 * @param options How to read the log; see {@link ServiceSourceOptions}.
 * @returns The source, for the option `source` of `reconcile`. Its methods reject with the client's `WebhookApiError`.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is unknown or invalid. Its methods reject with one when the
 * log is not listed newest first, as the option `newestFirst` says.
 */
export function serviceSource(
  client: Pick<WebhookClient, 'service' | 'deliveries'>,
  webhookId: number,
  options: ServiceSourceOptions = {},
): ReconcileSource {
  checkOptions('serviceSource', options, OPTIONS);
  const { chainId, delivered = false, newestFirst = false, eventId } = options;
  const { minAgeSeconds = 300, now = Date.now } = options;
  if (typeof client?.deliveries !== 'function') throw optionError('client', 'a client of createWebhookClient', client);
  checkNumber('webhookId', webhookId, 0);
  if (chainId !== undefined) checkNumber('chainId', chainId, 1);
  for (const [name, value] of Object.entries({ delivered, newestFirst })) {
    if (typeof value !== 'boolean') throw optionError(name, 'a boolean', value);
  }
  checkNumber('minAgeSeconds', minAgeSeconds, 0);
  if (eventId !== undefined) checkFunction('eventId', eventId);
  checkFunction('now', now);
  const idOf = eventId ?? entryIds(client.service, webhookId);

  /** The entries. With `newestFirst`, stops at the first one that is not needed. */
  async function* entries(signal: AbortSignal, isNeeded: (entry: DeliveryLogEntry) => boolean) {
    let last = Number.POSITIVE_INFINITY;
    for await (const entry of client.deliveries(webhookId)) {
      signal.throwIfAborted();
      if (newestFirst) {
        if (entry.id > last) throw new ConfigError(NOT_NEWEST_FIRST);
        last = entry.id;
        if (!isNeeded(entry)) return;
      }
      yield entry;
    }
  }

  async function* listed(from: number, signal: AbortSignal): AsyncGenerator<Listed> {
    for await (const entry of entries(signal, ({ id }) => id >= from)) {
      const { id, eventType, data, createdAt } = entry;
      if ((!delivered && isDelivered(entry)) || !KINDS.includes(eventType)) continue;
      if (eventType === 'transaction.included' && !eventId && !hasPlace(data)) continue;
      // The log may be late, so the age is that of the event, which may have taken effect then.
      const happened = Object(data);
      yield {
        position: id,
        event: eventOf(idOf(entry), entry),
        at: earliest(createdAt, happened.triggeredAt, happened.createdAt),
      };
    }
  }

  return {
    name: `delivery-log:${client.service}:${webhookId}`,
    chainId,
    async open({ signal }) {
      const youngest = now() - minAgeSeconds * 1000;
      const isOld = ({ createdAt }: DeliveryLogEntry) => !(Date.parse(String(createdAt)) > youngest);
      let [head, end] = [-1, Number.POSITIVE_INFINITY];
      for await (const entry of entries(signal, (each) => head === -1 || !isOld(each))) {
        head = Math.max(head, entry.id);
        if (!isOld(entry)) end = Math.min(end, entry.id - 1);
      }
      end = Math.min(end, head);
      return { chainId, end, head, read: readerOf((from) => listed(from, signal), end) };
    },
  };
}

const NOT_NEWEST_FIRST =
  'The service does not list the newest entry first. Remove the option `newestFirst` of `serviceSource`, so that every run reads the whole log.';

/** Whether a `transaction.included` has the fields of `logIdentity`. */
function hasPlace(data: unknown): boolean {
  if (!isRecord(data) || !isHash(data.blockHash)) return false;
  return isRecord(data.tx) && isHash(data.tx.hash);
}
