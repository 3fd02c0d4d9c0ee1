import { isPosition } from '../events/check-event.js';
import type { WebhookEvent } from '../events/types.js';
import { isRecord } from '../internal/guards.js';
import { notThisApi, resultOf } from './envelope.js';
import type { Answer } from './transport.js';

/** An entry of a webhook's delivery log. `id` identifies the entry: the log does not contain event ids. */
export interface DeliveryLogEntry {
  readonly id: number;
  readonly eventType: string;
  /** The event's `data`. A number that JavaScript would round is text with its digits. */
  readonly data: unknown;
  /** RFC 3339 time. */
  readonly createdAt?: string | undefined;
  /** RFC 3339 time; absent or null if not delivered. */
  readonly deliveredAt?: string | null | undefined;
  readonly [key: string]: unknown;
}

/** The items of a list answer. */
export function listOf(answer: Answer): unknown[] {
  const result = resultOf(answer);
  // Go writes null for an empty list.
  if (result === null) return [];
  if (Array.isArray(result)) return result;
  throw notThisApi(answer, 'a list');
}

export function entriesOf(answer: Answer): DeliveryLogEntry[] {
  return listOf(answer).map((each) => entryOf(each, answer));
}

function entryOf(value: unknown, answer: Answer): DeliveryLogEntry {
  if (isRecord(value) && isPosition(value.id) && typeof value.eventType === 'string') {
    return value as unknown as DeliveryLogEntry;
  }
  throw notThisApi(answer, 'a list of entries with id and eventType');
}

/** Whether an entry has a time of delivery. */
export function isDelivered({ deliveredAt }: DeliveryLogEntry): boolean {
  return typeof deliveredAt === 'string' && deliveredAt !== '';
}

/** The default ids of events made of entries. They end with two numbers, so that ids of different services differ. */
export function entryIds(service: string, webhookId: number): (entry: DeliveryLogEntry) => string {
  return ({ id }) => `delivery-log:${service}:${webhookId}:${id}`;
}

/** The event of an entry, which the receiver checks. Without its data if that nests too deep to be serialized. */
export function eventOf(id: string, { eventType: event, data }: DeliveryLogEntry): WebhookEvent {
  try {
    JSON.stringify(data);
    return { id, event, data } as unknown as WebhookEvent;
  } catch {
    return { id, event } as unknown as WebhookEvent;
  }
}
