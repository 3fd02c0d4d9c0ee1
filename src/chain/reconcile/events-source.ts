import { placeOf } from '../../client/stored-events.js';
import type { WebhookClient } from '../../client/webhook-client.js';
import { ConfigError } from '../../errors.js';
import type { EventEmitted } from '../../events/types.js';
import { ADDRESS } from '../../evm/hex.js';
import { checkNumber, checkOptions, optionError } from '../../internal/check-options.js';
import { createListReaders, earliest, type Listed } from './listed.js';
import type { ReconcileSource } from './source.js';

/** Options of {@link eventsSource}. */
export interface EventsSourceOptions {
  /** The contracts whose events to read, with their labels in the service. */
  readonly contracts: readonly { readonly address: string; readonly label: string }[];
  /**
   * Confirmations that a block needs before its events are read (the last block has 1): the service does not report
   * finality.
   */
  readonly confirmations: number;
  /** Required chain ID of the service. (Default: any.) */
  readonly chainId?: number | undefined;
  /** Number of events requested at a time. (Default: 100.) */
  readonly pageSize?: number | undefined;
  /** Maximum number of events in memory. (Default: 10 000.) */
  readonly chunkSize?: number | undefined;
}

/**
 * Reads the contract events that the service has stored, for `reconcile`, with `GET /events` of MultiBaas. It follows
 * the public SDK and was not tested against a deployment. Positions are block numbers. Blocks that the service has not
 * indexed yet are left for the next run.
 *
 * The service cannot list a range of blocks, so every run reads all events of the contracts: use `chainSource` for
 * contracts with many. It does not verify the service's data, and cannot find events that the service missed.
 *
 * @example
 * ```ts
 * import { eventsSource } from 'event-webhook-receiver/chain';
 * import { createWebhookClient } from 'event-webhook-receiver/client';
 *
 * const client = createWebhookClient({ baseUrl: 'https://service.example', apiKey: process.env.API_KEY ?? '' });
 * const token = { address: '0x5FbDB2315678afecb367f032d93F642f64180aa3', label: 'token' };
 * export const source = eventsSource(client, { contracts: [token], confirmations: 64, chainId: 1 });
 * ```
 * @param client The client of the service's API.
 * @param options What to read; see {@link EventsSourceOptions}.
 * @returns The source, for the option `source` of `reconcile`. Its methods reject with the client's `WebhookApiError`.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is missing, unknown or invalid.
 */
export function eventsSource(
  client: Pick<WebhookClient, 'service' | 'events' | 'chainStatus' | 'indexingStatus'>,
  options: EventsSourceOptions,
): ReconcileSource {
  checkOptions('eventsSource', options, ['contracts', 'confirmations', 'chainId', 'pageSize', 'chunkSize']);
  const { contracts, confirmations, chainId, pageSize = 100, chunkSize = 10_000 } = options;
  if (typeof client?.events !== 'function') throw optionError('client', 'a client of createWebhookClient', client);
  const isContract = (each: unknown) => {
    const { address, label } = (each ?? {}) as { address?: unknown; label?: unknown };
    return typeof address === 'string' && ADDRESS.test(address) && typeof label === 'string' && label !== '';
  };
  if (!Array.isArray(contracts) || contracts.length === 0 || !contracts.every(isContract)) {
    throw optionError('contracts', 'a list of contracts, each with `address` and `label`', contracts);
  }
  checkNumber('confirmations', confirmations, 1);
  if (chainId !== undefined) checkNumber('chainId', chainId, 1);
  checkNumber('pageSize', pageSize, 1, 100_000);
  checkNumber('chunkSize', chunkSize, 1);

  async function* listed(_from: number, signal: AbortSignal): AsyncGenerator<Listed> {
    for (const { address } of contracts) {
      for await (const data of client.events({ contractAddress: address, pageSize })) {
        signal.throwIfAborted();
        // In case the service ignores the filter.
        if (data.event.contract?.address?.toLowerCase() !== address.toLowerCase()) continue;
        const event: EventEmitted = { id: `events:${client.service}:${placeOf(data)}`, event: 'event.emitted', data };
        const { transaction, event: log, triggeredAt } = data;
        yield { position: transaction.blockNumber, index: log.indexInLog, event, at: earliest(triggeredAt) };
      }
    }
  }

  const readers = createListReaders(listed, chunkSize);
  const labels = contracts.map(({ label }) => label).sort();
  return {
    name: `events:${client.service}:${labels.join(',')}`,
    chainId,
    async open({ signal }) {
      const { blockNumber: head, ...chain } = await client.chainStatus();
      if (chainId !== undefined && chain.chainId !== chainId) {
        throw new ConfigError(
          `The service reads chain ${chain.chainId} instead of ${chainId}. Check \`baseUrl\` and \`chainId\`.`,
        );
      }
      let end = head - confirmations + 1;
      for (const { address, label } of contracts) {
        signal.throwIfAborted();
        const { latestBlockNumber, isProcessingPastLogs } = await client.indexingStatus(address, label);
        end = isProcessingPastLogs ? -1 : Math.min(end, latestBlockNumber);
        if (end < 0) return { chainId: chain.chainId, end: -1, head };
      }
      readers.open(signal, end);
      return { chainId: chain.chainId, end, head };
    },
    read: readers.read,
  };
}
