import { ConfigError } from '../errors.js';
import { checkNumber } from '../internal/check-options.js';
import type { SecretRequest } from '../receiver/options.js';
import type { Receiver } from '../receiver/receiver.js';
import { signDelivery } from '../signature/sign-delivery.js';
import { type DeliveryLogEntry, isDelivered } from './delivery-log.js';
import type { PageOptions } from './pages.js';
import { Oldest, type Recovery, Tally } from './recovery.js';
import type { Webhook } from './webhook.js';

export type { RecoveredEntry, Recovery } from './recovery.js';

/** What is used of a receiver. */
export type RecoveringReceiver = Pick<Receiver, 'handle'>;

/** Options of `recoverMissed`. */
export interface RecoverOptions extends PageOptions {
  /** Entries from before this are left out. Date, or Unix time in milliseconds. (Default: the whole log.) */
  readonly since?: Date | number | undefined;
  /** Younger entries are left alone: the service may still be at them. (Default: 0.) */
  readonly minAgeSeconds?: number | undefined;
  /** How many events go into one delivery to the receiver. (Default: 100.) */
  readonly batchSize?: number | undefined;
  /** How many entries, the oldest, are fed in one call; they are held in memory. (Default: 10 000.) */
  readonly maxEntries?: number | undefined;
  /** The webhook's signing secret, for a service that does not give it with `get`. (Default: what `get` gives.) */
  readonly secret?: string | undefined;
  /**
   * The `id` of an entry's event, the same each time. (Default: `delivery-log:<service>:<webhookId>:<entry id>`, where the
   * service is host, port and path of `baseUrl`: set this if that may change.)
   */
  readonly eventId?: ((entry: DeliveryLogEntry) => string) | undefined;
  /** The request to look the secret up for, where the receiver's `secret` is a function of it. (Default: one without headers.) */
  readonly request?: SecretRequest | undefined;
  /** Clock used to sign the deliveries, in milliseconds. (Default: `Date.now`.) */
  readonly now?: (() => number) | undefined;
}

/** An entry as it is sent. */
interface Missed {
  readonly id: number;
  readonly eventId: string;
  readonly text: string;
}

/** A delivery is closed above this many characters, far below what a receiver takes. */
const LONGEST_BATCH = 1024 * 1024;

/** `recoverMissed` of a client, over the parts of it that it needs. */
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
  const { minAgeSeconds = 0, batchSize = 100, maxEntries = 10_000, now = Date.now } = options;
  // Two numbers end it, so that no service, whatever its path holds, has the id of another.
  const { eventId = ({ id }: DeliveryLogEntry) => `delivery-log:${client.service}:${webhookId}:${id}` } = options;
  const since = Number(options.since ?? Number.NEGATIVE_INFINITY);
  checkNumber('minAgeSeconds', minAgeSeconds, 0);
  checkNumber('batchSize', batchSize, 1);
  checkNumber('maxEntries', maxEntries, 1);
  if (Number.isNaN(since)) throw new ConfigError('Option since is no time.');
  const secret = options.secret ?? (await client.get(webhookId)).secret;
  if (!secret) throw new ConfigError('The service does not give the secret of the webhook: set the option secret.');

  const oldest = new Oldest(maxEntries);
  let tooYoung = 0;
  const youngest = now() - minAgeSeconds * 1000;
  for await (const entry of client.deliveries(webhookId, options)) {
    const createdAt = Date.parse(String(entry.createdAt));
    if (isDelivered(entry) || createdAt < since) continue;
    // Written so that an entry without a time is left alone.
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
        const outcome = outcomes[index];
        if (outcome) tally.note({ id, eventId, status: outcome.status, error: outcome.error });
      }
      const isBusy = status === 503 || outcomes.some((outcome) => outcome.error?.status === 503);
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
    // What nests too deep to be written again is no event, and the receiver shall say so.
    return JSON.stringify({ id, event });
  }
}
