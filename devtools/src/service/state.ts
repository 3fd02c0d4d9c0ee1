import type { Change, Progress } from './change.js';
import type { Delivery } from './delivery.js';
import type { CreatedWebhook } from './webhook.js';

/** A webhook with its deliveries. */
export interface WebhookState {
  record: CreatedWebhook;
  /** The delivery log, oldest first. */
  readonly deliveries: Map<number, Delivery>;
  /** Pending deliveries, in the order in which they are sent. */
  readonly pending: Set<Delivery>;
  /** The number of events in the log, and their size in bytes. */
  events: number;
  bytes: number;
}

/** Limits of what is kept for each webhook. */
export interface KeepLimits {
  readonly events: number;
  readonly bytes: number;
}

/** The state of the service. Only {@link apply} changes it. */
export interface State {
  readonly limits: KeepLimits;
  readonly webhooks: Map<number, WebhookState>;
  /** The generated API key, if none was configured. */
  key?: string | undefined;
  /** The next ids to assign. */
  next: { readonly webhook: number; readonly delivery: number; readonly event: number };
}

/** The number of attempts kept for a delivery. */
const MAX_ATTEMPTS = 50;

const KEEP: KeepLimits = { events: 10_000, bytes: 32 * 1024 * 1024 };

/** The state of a service that has just been created. */
export function emptyState(limits: KeepLimits = KEEP): State {
  return { limits, webhooks: new Map(), next: { webhook: 1, delivery: 1, event: 1 } };
}

/**
 * Applies one change to the state.
 *
 * @returns The pending deliveries that were dropped because their webhook exceeded its limits.
 */
export function apply(state: State, change: Change): Delivery[] {
  const { webhooks, limits } = state;
  state.next = nextAfter(state, change);
  if (change.type === 'key') state.key = change.key;
  else if (change.type === 'webhook') {
    const known = webhooks.get(change.webhook.id);
    if (known) known.record = change.webhook;
    else addWebhook(state, change.webhook);
  } else if (change.type === 'removed') webhooks.delete(change.id);
  else if (change.type === 'progress') advance(state, change);
  else {
    return change.deliveries.flatMap((delivery) => {
      const webhook = addDelivery(state, delivery);
      return webhook ? trim(webhook, limits) : [];
    });
  }
  return [];
}

/** The next ids after a change. */
export function nextAfter({ next }: State, change: Change): State['next'] {
  if (change.type === 'webhook') return { ...next, webhook: Math.max(next.webhook, change.webhook.id + 1) };
  const last = change.type === 'emitted' ? change.deliveries.at(-1) : undefined;
  return last ? { ...next, delivery: last.id + 1, event: last.firstEvent + last.events } : next;
}

export function addWebhook({ webhooks }: State, record: CreatedWebhook): void {
  webhooks.set(record.id, { record, deliveries: new Map(), pending: new Set(), events: 0, bytes: 0 });
}

export function addDelivery({ webhooks }: State, delivery: Delivery): WebhookState | undefined {
  const webhook = webhooks.get(delivery.webhookId);
  if (webhook === undefined) return undefined;
  webhook.deliveries.set(delivery.id, delivery);
  if (delivery.state === 'pending') webhook.pending.add(delivery);
  webhook.events += delivery.events;
  webhook.bytes += delivery.body.length;
  return webhook;
}

/** Drops the oldest deliveries beyond the limits, but never the latest one. */
export function trim(webhook: WebhookState, limits: KeepLimits): Delivery[] {
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
  webhook.record = recordAfter(webhook.record, progress);
  const delivery = webhook.deliveries.get(progress.id);
  if (delivery === undefined) return;
  Object.assign(delivery, progressed(delivery, progress));
  if (progress.state === 'pending') webhook.pending.add(delivery);
  else webhook.pending.delete(delivery);
}

/** The record of a webhook after the progress of one of its deliveries. */
export function recordAfter(record: CreatedWebhook, { calls }: Progress): CreatedWebhook {
  if (calls === undefined) return record;
  // One by one: an absent field of `calls` has to replace the previous value too.
  const { failedCalls, nextAttempt, lastAttempt, lastError } = calls;
  return { ...record, failedCalls, nextAttempt, lastAttempt, lastError };
}

/** The fields of a delivery that its progress changes. */
export function progressed(delivery: Delivery, { failures, state, deliveredAt, nextAttemptAt, ...progress }: Progress) {
  const attempts = [...delivery.attempts, ...progress.attempts].slice(-MAX_ATTEMPTS);
  return { attempts, failures, state, deliveredAt, nextAttemptAt };
}
