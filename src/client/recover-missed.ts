import type { WebhookEvent } from '../events/types.js';
import { errorOfItem } from '../handle/answer.js';
import { checkNumber, checkOptions, optionError } from '../internal/check-options.js';
import type { Receiver } from '../receiver/receiver.js';
import { type DeliveryLogEntry, entryIds, eventOf, isDelivered } from './delivery-log.js';
import type { PageOptions } from './pages.js';
import { Oldest, type Recovery, Tally } from './recovery.js';

export type { RecoveredEntry, Recovery } from './recovery.js';

/** The part of a receiver that `recoverMissed` uses. */
export type RecoveringReceiver = Pick<Receiver, 'handleEvents'>;

/** Options of `recoverMissed`. */
export interface RecoverOptions extends PageOptions {
  /** Skips entries created before this time: a Date, or Unix time in milliseconds. (Default: none are skipped.) */
  readonly since?: Date | number | undefined;
  /** Skips entries younger than this, in seconds: the service may still be delivering them. (Default: 0.) */
  readonly minAgeSeconds?: number | undefined;
  /** Number of events that the receiver gets at a time. (Default: 100.) */
  readonly batchSize?: number | undefined;
  /**
   * The source that the receiver's `secret` function returns for deliveries of this webhook, which prefixes their keys;
   * `false` if it returns none. Required if `secret` is a function. (Default: none.)
   */
  readonly source?: string | false | undefined;
  /**
   * Returns the event `id` for an entry, the same for each call. (Default: `delivery-log:<service>:<webhookId>:<entry id>`,
   * where the service is host, port and path of `baseUrl`: set this if that may change.)
   */
  readonly eventId?: ((entry: DeliveryLogEntry) => string) | undefined;
}

const OPTIONS = ['pageSize', 'since', 'minAgeSeconds', 'batchSize', 'source', 'eventId'];

/** Implements `recoverMissed` of a client. */
export async function recoverMissed(
  client: {
    readonly service: string;
    deliveries(id: number, options?: PageOptions): AsyncIterable<DeliveryLogEntry>;
  },
  webhookId: number,
  receiver: RecoveringReceiver,
  options: RecoverOptions = {},
): Promise<Recovery> {
  checkOptions('recoverMissed', options, OPTIONS);
  const { minAgeSeconds = 0, batchSize = 100, source, eventId = entryIds(client.service, webhookId) } = options;
  const since = Number(options.since ?? Number.NEGATIVE_INFINITY);
  checkNumber('minAgeSeconds', minAgeSeconds, 0);
  checkNumber('batchSize', batchSize, 1);
  if (Number.isNaN(since)) throw optionError('since', 'a Date or a time in milliseconds', options.since);

  const oldest = new Oldest();
  let tooYoung = 0;
  const youngest = Date.now() - minAgeSeconds * 1000;
  for await (const entry of client.deliveries(webhookId, options)) {
    const createdAt = Date.parse(String(entry.createdAt));
    if (isDelivered(entry) || createdAt < since) continue;
    // Also skips an entry without a time.
    if (minAgeSeconds > 0 && !(createdAt <= youngest)) tooYoung++;
    else oldest.add(entry);
  }

  const entries = oldest.sorted();
  const tally = new Tally();
  let stopped: Recovery['stopped'];
  for (let at = 0; at < entries.length && !stopped; at += batchSize) {
    const batch = entries.slice(at, at + batchSize);
    const events = batch.map((entry) => eventOf(eventId(entry), entry));
    const { status, error, outcomes } = await receiver.handleEvents(events, { source, via: 'recovery' });
    if (error?.code === 'ERR_WEBHOOK_CONFIG') throw error;
    if (outcomes.length !== batch.length) {
      stopped = { reason: status === 503 ? 'busy' : 'refused', status, error };
      break;
    }
    for (const [index, outcome] of outcomes.entries()) {
      const [{ id }, { id: eventId }] = [batch[index] as DeliveryLogEntry, events[index] as WebhookEvent];
      tally.note({ id, eventId, status: outcome.status, error: errorOfItem(outcome) });
    }
    // Events of other blocks may be final.
    const isBusy = outcomes.some((outcome) => outcome.status !== 'not-final' && outcome.error?.status === 503);
    if (isBusy) stopped = { reason: 'busy', status: 503, error };
  }
  return tally.result(oldest.size + tooYoung, tooYoung, stopped);
}
