import type { Deadline } from './deadline.js';
import type { HostTime } from './host-time.js';
import type { EventContext, EventsContext } from './types.js';

/**
 * The property through which a route reports an event that it skipped to the receiver's `onError`. A global symbol, so that
 * it works between two copies of the library (ESM beside CommonJS).
 */
const REPORT: unique symbol = Symbol.for('event-webhook-receiver.report') as never;

/** The property that `signal` is read from. */
const LIMIT: unique symbol = Symbol('limit');

/** One getter for all contexts: a literal with a getter gets a new shape, and garbage, each time. */
const SIGNAL = {
  get(this: { readonly [LIMIT]: Deadline }): AbortSignal {
    return this[LIMIT].signal;
  },
  enumerable: true,
  configurable: true,
};

/** Reports an error of the run, or of one event of it. */
type Report = (error: unknown, idempotencyKey?: string) => void;

/** The data of a context that does not depend on the run, and the time that the host grants it. */
export type AboutDelivery = Pick<EventContext, 'source' | 'timestamp'> & { readonly host?: HostTime | undefined };
export type About = AboutDelivery & Pick<EventContext, 'idempotencyKey'>;

/** The context of a handler: an ordinary object, so that `{ ...context }` keeps everything. */
export function createContext<Tx>(
  { idempotencyKey, source, timestamp }: About,
  tx: Tx,
  fencingToken: bigint | undefined,
  limit: Deadline,
  report: Report,
): EventContext<Tx> {
  const context = createEventsContext({ source, timestamp }, tx, fencingToken, limit, report) as EventsContext<Tx> & {
    idempotencyKey: string;
  };
  context.idempotencyKey = idempotencyKey;
  return context;
}

/** The context of a handler of several events. */
export function createEventsContext<Tx>(
  { source, timestamp }: AboutDelivery,
  tx: Tx,
  fencingToken: bigint | undefined,
  limit: Deadline,
  report: Report,
): EventsContext<Tx> {
  const { deadline, throwIfExpired } = limit;
  const context = { source, timestamp, tx, fencingToken, deadline, throwIfExpired, [REPORT]: report };
  // Not enumerable: a copy has its signal.
  Object.defineProperty(context, LIMIT, { value: limit });
  return Object.defineProperty(context, 'signal', SIGNAL) as typeof context & { readonly signal: AbortSignal };
}

/** The context for one of the events of a context for several. */
export function contextOf<Tx>(context: EventsContext<Tx>, idempotencyKey: string): EventContext<Tx> {
  const report: Report = (error) => reportTo(context, error, idempotencyKey);
  const own = { ...context, idempotencyKey, [REPORT]: report };
  return own;
}

/** Reports an error that must not fail the event to the receiver that created `context`. */
export function reportTo(context: unknown, error: unknown, idempotencyKey?: string): void {
  try {
    (context as { [REPORT]?: Report } | null | undefined)?.[REPORT]?.(error, idempotencyKey);
  } catch {
    // The context may be user code. An event must not fail because its report did.
  }
}
