import type { Delivery } from './delivery.js';
import type { CreatedWebhook } from './webhook.js';

/** A webhook with its deliveries. */
export interface WebhookState {
  record: CreatedWebhook;
  /** The delivery log, oldest first. */
  readonly deliveries: Map<number, Delivery>;
  /** Ids of the pending deliveries, in the order in which they are sent. */
  readonly pending: Set<number>;
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

/** What is added, replaced or removed together. It is stored in one transaction. */
export interface Change {
  readonly key?: string;
  readonly webhook?: CreatedWebhook;
  /** Id of a webhook that is removed with its deliveries. */
  readonly removed?: number;
  /** Deliveries of webhooks that exist; new ones have ascending ids from the next one on. */
  readonly deliveries?: readonly Delivery[];
}

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
  const { key, webhook: record, removed, deliveries = [] } = change;
  state.next = nextAfter(state, change);
  if (key !== undefined) state.key = key;
  if (removed !== undefined) webhooks.delete(removed);
  if (record) {
    const known = webhooks.get(record.id);
    if (known) known.record = record;
    else webhooks.set(record.id, { record, deliveries: new Map(), pending: new Set(), events: 0, bytes: 0 });
  }
  return deliveries.flatMap((delivery) => {
    const webhook = webhooks.get(delivery.webhookId);
    return webhook ? put(webhook, delivery, limits) : [];
  });
}

/** The next ids after a change. */
export function nextAfter({ next }: State, { webhook, deliveries = [] }: Change): State['next'] {
  const last = deliveries.at(-1);
  return {
    webhook: Math.max(next.webhook, (webhook?.id ?? 0) + 1),
    delivery: Math.max(next.delivery, (last?.id ?? 0) + 1),
    event: Math.max(next.event, last ? last.firstEvent + last.events : 0),
  };
}

/** Adds or replaces a delivery, and drops the oldest ones beyond the limits, but never the latest one. */
function put(webhook: WebhookState, delivery: Delivery, limits: KeepLimits): Delivery[] {
  const { deliveries, pending } = webhook;
  if (!deliveries.has(delivery.id)) count(webhook, delivery, 1);
  deliveries.set(delivery.id, delivery);
  if (delivery.state === 'pending') pending.add(delivery.id);
  else pending.delete(delivery.id);
  const dropped: Delivery[] = [];
  for (const oldest of deliveries.values()) {
    const fits = webhook.events <= limits.events && webhook.bytes <= limits.bytes;
    if (fits || deliveries.size === 1) break;
    deliveries.delete(oldest.id);
    count(webhook, oldest, -1);
    if (pending.delete(oldest.id)) dropped.push({ ...oldest, state: 'given-up', nextAttemptAt: undefined });
  }
  return dropped;
}

function count(webhook: WebhookState, { events, body }: Delivery, sign: 1 | -1): void {
  webhook.events += sign * events;
  webhook.bytes += sign * body.length;
}
