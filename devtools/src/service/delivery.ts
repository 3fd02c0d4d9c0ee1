import type { Attempt } from './attempt.js';

/** What has become of a delivery. */
export type DeliveryState = 'pending' | 'delivered' | 'given-up';

/** A delivery of the local service, as `onDelivery` is told of it. */
export interface LocalDelivery {
  readonly id: string;
  readonly webhookId: number;
  /** Label of the webhook. */
  readonly label: string;
  /** Where it is sent to. */
  readonly url: string;
  /** The bytes of the body, the same in every attempt. */
  readonly rawBody: Uint8Array;
  /** The latest 50, the last of which may be under way. Empty when it was given up for want of room before it was sent. */
  readonly attempts: readonly Attempt[];
  /** When the next attempt is due, in Unix milliseconds. */
  readonly nextAttemptAt?: number | undefined;
  readonly state: DeliveryState;
}

/** An event in the delivery log, as the live API documents it: neither its id nor its keys are those of the wire. */
export interface LogEntry {
  readonly id: number;
  readonly eventType: string;
  readonly data: unknown;
  /** RFC 3339 time. */
  readonly createdAt: string;
  /** RFC 3339 time; absent as long as the event is not delivered. */
  readonly deliveredAt?: string | undefined;
}

/** A delivery as the service keeps it. */
export interface Delivery {
  readonly id: number;
  readonly webhookId: number;
  readonly body: Uint8Array;
  /** How many events are in it. */
  readonly events: number;
  /** The log's id of its first event; the others follow. */
  readonly firstEvent: number;
  /** Unix milliseconds. */
  readonly createdAt: number;
  attempts: readonly Attempt[];
  /** Failed attempts since it was queued. */
  failures: number;
  state: DeliveryState;
  /** When it was first answered 2xx. It stays so whatever comes of sending it again. */
  deliveredAt?: number | undefined;
  nextAttemptAt?: number | undefined;
}
