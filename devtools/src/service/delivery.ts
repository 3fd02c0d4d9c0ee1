import type { Attempt } from './attempt.js';

/** The state of a delivery. */
export type DeliveryState = 'pending' | 'delivered' | 'given-up';

/** A delivery of the local service, as `onDelivery` receives it. */
export interface LocalDelivery {
  readonly id: string;
  readonly webhookId: number;
  /** Label of the webhook. */
  readonly label: string;
  /** The URL that it is sent to. */
  readonly url: string;
  /** The bytes of the body, the same in every attempt. */
  readonly rawBody: Uint8Array;
  /** The latest 50 attempts; the last may be in flight. Empty if the delivery was dropped before it was sent because the queue was full. */
  readonly attempts: readonly Attempt[];
  /** When the next attempt is due, in Unix milliseconds. */
  readonly nextAttemptAt?: number | undefined;
  readonly state: DeliveryState;
}

/** An event in the delivery log, as the live API documents it: its id and keys differ from those on the wire. */
export interface LogEntry {
  readonly id: number;
  readonly eventType: string;
  readonly data: unknown;
  /** RFC 3339 time. */
  readonly createdAt: string;
  /** RFC 3339 time; undefined until the event is delivered. */
  readonly deliveredAt?: string | undefined;
}

/** A delivery as the service keeps it. */
export interface Delivery {
  readonly id: number;
  readonly webhookId: number;
  readonly body: Uint8Array;
  /** The number of its events. */
  readonly events: number;
  /** Log id of its first event; the others have the following ids. */
  readonly firstEvent: number;
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** Whether it is tried only once. */
  readonly once?: true | undefined;
  readonly attempts: readonly Attempt[];
  /** Failed attempts since it was queued. */
  readonly failures: number;
  readonly state: DeliveryState;
  /** When it was first answered 2xx. A failed redelivery does not reset it. */
  readonly deliveredAt?: number | undefined;
  readonly nextAttemptAt?: number | undefined;
}

/** A delivery that was accepted for sending. */
export const newDelivery = (
  given: Pick<Delivery, 'id' | 'webhookId' | 'body' | 'events' | 'firstEvent' | 'createdAt' | 'once'>,
): Delivery => ({ ...given, attempts: [], failures: 0, state: 'pending' });
