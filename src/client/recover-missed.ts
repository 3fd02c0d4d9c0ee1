import { ConfigError } from '../errors.js';
import { errorOfItem } from '../handle/answer.js';
import { checkNumber, checkOptions, optionError } from '../internal/check-options.js';
import type { SecretRequest } from '../receive/secret.js';
import type { Receiver } from '../receiver/receiver.js';
import { signDelivery } from '../signature/sign-delivery.js';
import { type DeliveryLogEntry, isDelivered } from './delivery-log.js';
import type { PageOptions } from './pages.js';
import { Oldest, type Recovery, Tally } from './recovery.js';
import type { Webhook } from './webhook.js';

export type { RecoveredEntry, Recovery } from './recovery.js';

/** The part of a receiver that `recoverMissed` uses. */
export type RecoveringReceiver = Pick<Receiver, 'handle'>;

/** Options of `recoverMissed`. */
export interface RecoverOptions extends PageOptions {
  /** Skips entries created before this time: a Date, or Unix time in milliseconds. (Default: none are skipped.) */
  readonly since?: Date | number | undefined;
  /** Skips entries younger than this, in seconds: the service may still be delivering them. (Default: 0.) */
  readonly minAgeSeconds?: number | undefined;
  /** Number of events per delivery to the receiver. (Default: 100.) */
  readonly batchSize?: number | undefined;
  /** The webhook's signing secret, for a service that does not return it. (Default: the secret that `get` returns.) */
  readonly secret?: string | undefined;
  /**
   * Returns the event `id` for an entry, the same for each call. (Default: `delivery-log:<service>:<webhookId>:<entry id>`,
   * where the service is host, port and path of `baseUrl`: set this if that may change.)
   */
  readonly eventId?: ((entry: DeliveryLogEntry) => string) | undefined;
  /** The request passed to the receiver's `secret` if that is a function. (Default: one without headers.) */
  readonly request?: SecretRequest | undefined;
  /** Clock used to sign the deliveries, in milliseconds. (Default: `Date.now`.) */
  readonly now?: (() => number) | undefined;
}

/** An entry, ready to send. */
interface Missed {
  readonly id: number;
  readonly eventId: string;
  readonly text: string;
}

const OPTIONS = ['pageSize', 'since', 'minAgeSeconds', 'batchSize', 'secret', 'eventId', 'request', 'now'];

/** Maximum characters per delivery, far below a receiver's limit. */
const LONGEST_BATCH = 1024 * 1024;

/** Implements `recoverMissed` of a client. */
export async function recoverMissed(
  client: {
    readonly service: string;
    get(id: number): Promise<Webhook>;
    deliveries(id: number, options?: PageOptions): AsyncIterable<DeliveryLogEntry>;
  },
  webhookId: number,
  receiver: RecoveringReceiver,
  options: RecoverOptions = {},
): Promise<Recovery> {
  checkOptions('recoverMissed', options, OPTIONS);
  const { minAgeSeconds = 0, batchSize = 100, now = Date.now } = options;
  // Ends with two numbers, so that ids of different services differ whatever their paths.
  const { eventId = ({ id }: DeliveryLogEntry) => `delivery-log:${client.service}:${webhookId}:${id}` } = options;
  const since = Number(options.since ?? Number.NEGATIVE_INFINITY);
  checkNumber('minAgeSeconds', minAgeSeconds, 0);
  checkNumber('batchSize', batchSize, 1);
  if (Number.isNaN(since)) throw optionError('since', 'a Date or a time in milliseconds', options.since);
  const secret = options.secret ?? (await client.get(webhookId)).secret;
  if (!secret) throw new ConfigError('The service does not return the secret of the webhook. Set the option `secret`.');

  const oldest = new Oldest();
  let tooYoung = 0;
  const youngest = now() - minAgeSeconds * 1000;
  for await (const entry of client.deliveries(webhookId, options)) {
    const createdAt = Date.parse(String(entry.createdAt));
    if (isDelivered(entry) || createdAt < since) continue;
    // Also skips an entry without a time.
    if (minAgeSeconds > 0 && !(createdAt <= youngest)) tooYoung++;
    else oldest.add(entry);
  }

  const tally = new Tally();
  let stopped: Recovery['stopped'];

  async function feed(batch: readonly Missed[]): Promise<void> {
    const body = `[${batch.map(({ text }) => text).join(',')}]`;
    const timestamp = Math.floor(now() / 1000);
    const parts = signDelivery(body, { secret: String(secret), timestamp });
    const { status, error, outcomes } = await receiver.handle({
      rawBody: body,
      signature: parts.signature,
      timestamp: parts.timestamp,
      request: options.request,
    });
    if (outcomes.length === batch.length) {
      for (const [index, { id, eventId }] of batch.entries()) {
        const outcome = outcomes[index] as (typeof outcomes)[number];
        tally.note({ id, eventId, status: outcome.status, error: errorOfItem(outcome) });
      }
      // Events of other blocks may be final.
      const isBusy = outcomes.some((outcome) => outcome.status !== 'not-final' && outcome.error?.status === 503);
      if (isBusy) stopped = { reason: 'busy', status: 503, error };
    } else if (status === 413 && batch.length > 1) {
      const half = Math.ceil(batch.length / 2);
      await feed(batch.slice(0, half));
      if (!stopped) await feed(batch.slice(half));
    } else if (status === 413) {
      for (const { id, eventId } of batch) tally.note({ id, eventId, status: 'failed', error });
    } else {
      stopped = { reason: status === 503 ? 'busy' : 'refused', status, error };
    }
  }

  for (const batch of batches(oldest.sorted(), batchSize, eventId)) {
    await feed(batch);
    if (stopped) break;
  }
  return tally.result(oldest.size + tooYoung, tooYoung, stopped);
}

function* batches(
  entries: readonly DeliveryLogEntry[],
  batchSize: number,
  eventId: (entry: DeliveryLogEntry) => string,
): Generator<Missed[]> {
  let batch: Missed[] = [];
  let length = 0;
  for (const entry of entries) {
    const id = eventId(entry);
    const text = write(id, entry);
    if (batch.length >= batchSize || (batch.length > 0 && length + text.length > LONGEST_BATCH)) {
      yield batch;
      batch = [];
      length = 0;
    }
    batch.push({ id: entry.id, eventId: id, text });
    length += text.length;
  }
  if (batch.length > 0) yield batch;
}

function write(id: string, { eventType: event, data }: DeliveryLogEntry): string {
  try {
    return JSON.stringify({ id, event, data });
  } catch {
    // Nested too deep to serialize: the receiver reports it as invalid.
    return JSON.stringify({ id, event });
  }
}
