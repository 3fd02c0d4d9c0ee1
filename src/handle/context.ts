import { type DeliveryItem, type EventItem, parseItems } from '../events/parse-delivery.js';
import type { WebhookEvent } from '../events/types.js';
import { type RawBody, signedBytes } from '../signature/verify-signature.js';
import type { Step } from '../stores/store.js';
import type { Deadline, HostGrants } from './deadline.js';
import type { EventContext, EventsContext } from './types.js';

/**
 * The property through which a route reports an event that it skipped to the receiver's `onError`. A global symbol, so
 * that two copies of the library (ESM beside CommonJS) share it.
 */
const REPORT: unique symbol = Symbol.for('event-webhook-receiver.report') as never;

/** Reports an error that does not change the answer, for one key or for all keys. */
type Report = (error: unknown, idempotencyKey?: string) => void;

/** The parts of a context that do not depend on the run, and other data of the delivery. */
export type AboutDelivery = Pick<EventContext, 'source' | 'timestamp' | 'via' | 'application'> & {
  /** The time that the host grants the delivery. */
  readonly host?: HostGrants | undefined;
  /** The key of the dead letter that is retried. */
  readonly retryOf?: string | undefined;
  /** The change of the keys. (Default: that of a delivery, or of a retry.) */
  readonly step?: Step | undefined;
  /** Present where failures are counted. */
  readonly asReceived?: AsReceived | undefined;
};

/** Returns an event as received, without changes that a handler made. */
export type AsReceived = (item: EventItem) => WebhookEvent;

/** Returns a function that finds an event as received. It parses the body again, because few events need that. */
export function receivedIn(rawBody: RawBody, items: readonly DeliveryItem[]): AsReceived {
  // A copy: the host may overwrite its buffer with bytes that nobody has verified.
  const body = typeof rawBody === 'string' ? rawBody : new Uint8Array(signedBytes(rawBody) as Uint8Array);
  return (item) => (parseItems(body, Number.POSITIVE_INFINITY)[items.indexOf(item)] as EventItem).event;
}

/** The parts of a context that depend on the run. */
export interface AboutRun<Tx> {
  readonly tx: Tx;
  readonly fencingToken: bigint | undefined;
  readonly limit: Deadline;
  readonly report: Report;
}

/** The context of a handler, or with a key of one event. A plain object, so that `{ ...context }` keeps everything. */
export function createContext<Tx>(
  { source, timestamp, via, application }: AboutDelivery,
  { tx, fencingToken, limit, report }: AboutRun<Tx>,
  idempotencyKey?: string,
): EventContext<Tx> {
  const { deadline, throwIfExpired } = limit;
  const context = {
    source,
    timestamp,
    via,
    application,
    tx,
    fencingToken,
    deadline,
    throwIfExpired,
    // Most handlers do not read it, and creating one takes 5 % of a request.
    get signal() {
      return limit.signal;
    },
    [REPORT]: report,
  };
  if (idempotencyKey !== undefined) Object.assign(context, { idempotencyKey });
  return context as EventsContext<Tx> as EventContext<Tx>;
}

/** The context of one event, from a context for several. */
export function contextOf<Tx>(context: EventsContext<Tx>, idempotencyKey: string): EventContext<Tx> {
  const report: Report = (error) => reportTo(context, error, idempotencyKey);
  const own = { ...context, idempotencyKey, [REPORT]: report };
  return own;
}

/** Reports an error that must not fail the event to the receiver that created `context`. */
export function reportTo(context: unknown, error: unknown, idempotencyKey?: string): void {
  try {
    (context as { readonly [REPORT]?: Report } | null | undefined)?.[REPORT]?.(error, idempotencyKey);
  } catch {
    // The context may be user code. An event must not fail because its report failed.
  }
}
