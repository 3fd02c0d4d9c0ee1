import type { Delivery } from './delivery.js';
import type { Batch, Entry, Progress } from './entry.js';
import type { WebhookWithSecret } from './webhook.js';

/** A webhook with what it has been sent and is to be sent. */
export interface Webhook {
  record: WebhookWithSecret;
  /** Those in the log, oldest first. */
  readonly deliveries: Map<number, Delivery>;
  /** Those that are still to be delivered, in the order in which they shall be. */
  readonly pending: Set<Delivery>;
  /** How many events are in the log, and how many bytes they take. */
  events: number;
  bytes: number;
}

/** How much is kept for each webhook. */
export interface KeepLimits {
  readonly events: number;
  readonly bytes: number;
}

/** Everything that the service knows. It changes through {@link apply} alone. */
export interface State {
  readonly limits: KeepLimits;
  readonly webhooks: Map<number, Webhook>;
  /** The API key that was made up, where none was given. */
  key?: string | undefined;
  /** The ids that are given out next. */
  readonly next: { webhook: number; delivery: number; event: number };
}

/** A delivery keeps this many attempts. */
const MAX_ATTEMPTS = 50;

/** What is kept unless told otherwise. */
export const KEEP: KeepLimits = { events: 10_000, bytes: 32 * 1024 * 1024 };

/** The state that every journal begins with. */
export function emptyState(limits: KeepLimits = KEEP): State {
  return { limits, webhooks: new Map(), next: { webhook: 1, delivery: 1, event: 1 } };
}

/**
 * Changes the state by one entry, the same way at every replay.
 *
 * @returns The deliveries that were still pending and had to go, because their webhook keeps no more.
 */
export function apply(state: State, entry: Entry): Delivery[] {
  const { webhooks, next } = state;
  if (entry.type === 'key') state.key = entry.key;
  else if (entry.type === 'counters') {
    for (const name of ['webhook', 'delivery', 'event'] as const) next[name] = Math.max(next[name], entry[name]);
  } else if (entry.type === 'webhook') {
    const { webhook: record } = entry;
    next.webhook = Math.max(next.webhook, record.id + 1);
    const known = webhooks.get(record.id);
    if (known) known.record = record;
    else webhooks.set(record.id, { record, deliveries: new Map(), pending: new Set(), events: 0, bytes: 0 });
  } else if (entry.type === 'removed') webhooks.delete(entry.id);
  else if (entry.type === 'emitted') return entry.batches.flatMap((batch) => queue(state, batch, entry.at));
  else if (entry.type === 'progress') advance(state, entry);
  else throw new TypeError('This entry is of no kind that there is.');
  return [];
}

function queue({ webhooks, next, limits }: State, { body, events, to }: Batch, createdAt: number): Delivery[] {
  // One copy for all webhooks.
  const bytes = new TextEncoder().encode(body);
  return to.flatMap(({ id, webhookId, firstEvent }) => {
    next.delivery = Math.max(next.delivery, id + 1);
    next.event = Math.max(next.event, firstEvent + events);
    const webhook = webhooks.get(webhookId);
    if (!webhook) return [];
    const delivery: Delivery = {
      ...{ id, webhookId, body: bytes, events, firstEvent, createdAt },
      ...{ attempts: [], failures: 0, state: 'pending' },
    };
    webhook.deliveries.set(id, delivery);
    webhook.pending.add(delivery);
    webhook.events += events;
    webhook.bytes += bytes.length;
    return trim(webhook, limits);
  });
}

/** Drops the oldest deliveries beyond what is kept, but never the last one. */
function trim(webhook: Webhook, limits: KeepLimits): Delivery[] {
  const dropped: Delivery[] = [];
  for (const delivery of webhook.deliveries.values()) {
    const fits = webhook.events <= limits.events && webhook.bytes <= limits.bytes;
    if (fits || webhook.deliveries.size === 1) break;
    webhook.deliveries.delete(delivery.id);
    webhook.events -= delivery.events;
    webhook.bytes -= delivery.body.length;
    if (webhook.pending.delete(delivery)) {
      delivery.state = 'given-up';
      delivery.nextAttemptAt = undefined;
      dropped.push(delivery);
    }
  }
  return dropped;
}

function advance({ webhooks }: State, progress: Progress): void {
  const webhook = webhooks.get(progress.webhookId);
  if (webhook === undefined) return;
  if (progress.calls) {
    // One by one: what is undefined is not in a journal, and has to replace what was there all the same.
    const { failedCalls, nextAttempt, lastAttempt, lastError } = progress.calls;
    webhook.record = { ...webhook.record, failedCalls, nextAttempt, lastAttempt, lastError };
  }
  const delivery = webhook.deliveries.get(progress.id);
  if (delivery === undefined) return;
  delivery.attempts = [...delivery.attempts, ...progress.attempts].slice(-MAX_ATTEMPTS);
  delivery.failures = progress.failures;
  delivery.state = progress.state;
  delivery.deliveredAt = progress.deliveredAt;
  delivery.nextAttemptAt = progress.nextAttemptAt;
  if (progress.state === 'pending') webhook.pending.add(delivery);
  else webhook.pending.delete(delivery);
}
