import { ConfigError } from '../errors.js';
import type { WebhookEvent } from '../events/types.js';
import { keyOf } from '../handle/idempotency-key.js';
import type { HandleOptions } from '../handle/options.js';
import { optionError } from '../internal/check-options.js';
import type { ReceiveOptions } from '../receive/receive.js';
import type { RecordStore, StoredRecord } from '../stores/record-store.js';
import { type PeekOptions, sourceOf } from './own-events.js';

/** What became of an event. Times are in epoch milliseconds. */
export interface EventRecord extends StoredRecord {
  /** With the prefix of its source. */
  readonly idempotencyKey: string;
}

/** Returns what the store's records contain about an event, an idempotency key or an event id. */
export type Status = (
  which: WebhookEvent | string | { readonly eventId: string },
  options?: PeekOptions,
) => Promise<EventRecord[]>;

export function createStatus<Tx>({
  secret,
  enqueue,
  store,
  idempotencyKey,
}: Pick<HandleOptions<Tx>, 'enqueue' | 'store' | 'idempotencyKey'> & Pick<ReceiveOptions, 'secret'>): Status {
  function recordStore(): RecordStore {
    const records = enqueue || !store ? undefined : store.records;
    if (records) return records;
    throw new ConfigError(
      '`status` needs a store that keeps records, such as `sqlStore`, and a receiver without `enqueue`.',
    );
  }

  return async (which, options) => {
    const records = recordStore();
    if (typeof which !== 'string' && (typeof which !== 'object' || which === null)) {
      throw optionError('which', 'an event, an idempotency key, or `{ eventId }`', which);
    }
    if (typeof which === 'object' && 'eventId' in which) {
      if (typeof which.eventId !== 'string') throw optionError('eventId', 'a string', which.eventId);
      if (!records.find) throw new ConfigError('This store finds records by idempotency key only, not by event id.');
      return entriesOf(await records.find(which.eventId));
    }
    const key = typeof which === 'string' ? which : keyOf(idempotencyKey, which, sourceOf(secret, options));
    return entriesOf(await records.look([key]));
  };
}

function entriesOf(found: ReadonlyMap<string, StoredRecord>): EventRecord[] {
  return [...found].map(([idempotencyKey, record]) => ({ idempotencyKey, ...record }));
}
