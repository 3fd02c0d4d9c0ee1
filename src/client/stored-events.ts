import { dropNil, fillAddressLabel, isPosition } from '../events/check-event.js';
import type { EventEmitted } from '../events/types.js';
import { checkOptions, optionError } from '../internal/check-options.js';
import { isRecord } from '../internal/guards.js';
import { listOf } from './delivery-log.js';
import { notThisApi, resultOf } from './envelope.js';
import { type PageOptions, pages } from './pages.js';
import type { Answer, Transport } from './transport.js';

/** Which of the stored events to read. (Default: all.) */
export interface EventQuery extends PageOptions {
  readonly contractAddress?: string | undefined;
}

/** An event that the service has stored, in the shape of a delivered event's `data`. Its transaction is always present. */
export type StoredEvent = EventEmitted['data'] & {
  readonly transaction: NonNullable<EventEmitted['data']['transaction']>;
};

/** The chain of a service. */
export interface ChainStatus {
  readonly chainId: number;
  /** Number of the latest block, final or not. */
  readonly blockNumber: number;
}

/** The service's progress in indexing a contract's events. */
export interface IndexingStatus {
  /** The last block whose events are stored. */
  readonly latestBlockNumber: number;
  /** Whether earlier blocks are still being indexed. */
  readonly isProcessingPastLogs: boolean;
}

/** The calls of a client that read chain data from the service. */
export function eventCalls(call: Transport) {
  async function get<T>(path: string, read: (fields: Record<string, unknown>) => T | false, expected: string) {
    const answer = await call({ method: 'GET', path });
    const result = resultOf(answer);
    const status = isRecord(result) && read(result);
    if (status) return status;
    throw notThisApi(answer, expected);
  }

  return {
    events(query: EventQuery = {}): AsyncIterable<StoredEvent> {
      checkOptions('events', query, ['contractAddress', 'pageSize']);
      const { contractAddress: address } = query;
      if (address !== undefined && (typeof address !== 'string' || address === ''))
        throw optionError('contractAddress', 'a non-empty string', address);
      const filter = address === undefined ? {} : { contract_address: address };
      return pages(
        async (limit, offset) => {
          const answer = await call({ method: 'GET', path: '/events', query: { ...filter, limit, offset } });
          return listOf(answer).map((each) => storedEventOf(each, answer));
        },
        placeOf,
        query,
      );
    },
    chainStatus: (): Promise<ChainStatus> =>
      get(
        '/chains/ethereum/status',
        ({ chainID: chainId, blockNumber }) => isNumber(chainId) && isNumber(blockNumber) && { chainId, blockNumber },
        'the status of a chain, with chainID and blockNumber',
      ),
    indexingStatus: async (address: string, label: string): Promise<IndexingStatus> => {
      const [at, of] = [pathPart('address', address), pathPart('label', label)];
      return get(
        `/chains/ethereum/addresses/${at}/contracts/${of}/status`,
        ({ latestBlockNumber, isProcessingPastLogs }) =>
          isNumber(latestBlockNumber) &&
          typeof isProcessingPastLogs === 'boolean' && { latestBlockNumber, isProcessingPastLogs },
        'the status of a contract, with latestBlockNumber and isProcessingPastLogs',
      );
    },
  };
}

/** Where an event is on the chain. */
export function placeOf({ event, transaction }: StoredEvent): string {
  return `${transaction.blockHash}:${transaction.txHash}:${event.indexInLog}`.toLowerCase();
}

function storedEventOf(value: unknown, answer: Answer): StoredEvent {
  const { event, transaction } = Object(value);
  const isPlaced =
    isRecord(event) &&
    isPosition(event.indexInLog) &&
    isRecord(transaction) &&
    isPosition(transaction.blockNumber) &&
    typeof transaction.blockHash === 'string' &&
    typeof transaction.txHash === 'string';
  if (!isPlaced) throw notThisApi(answer, 'a list of events with their transactions');
  for (const { contract } of [event, transaction]) if (isRecord(contract)) fillAddressLabel(contract);
  for (const owner of [event, transaction.method]) if (isRecord(owner)) dropNil(owner);
  return value as unknown as StoredEvent;
}

function isNumber(value: unknown): value is number {
  return isPosition(value);
}

function pathPart(name: string, value: unknown): string {
  // `.` and `..` would change the path.
  if (typeof value === 'string' && /^[\w-]{1,200}$/.test(value)) return value;
  throw optionError(name, 'a text of letters, digits, _ and -', value);
}
