import type { EventContext } from './options.js';
import type { TimeLimit } from './time-limit.js';

/**
 * The property through which a route reports an event that it skipped to the receiver's `onError`. A global symbol, so that
 * it works between two copies of the library (ESM beside CommonJS).
 */
const REPORT: unique symbol = Symbol.for('event-webhook-receiver.report') as never;

/** The data of a context that does not depend on the run. */
export type About = Pick<EventContext, 'idempotencyKey' | 'source' | 'timestamp'>;

/** The context of a handler: an ordinary object, so that `{ ...context }` keeps everything. */
export function createContext<Tx>(
  { idempotencyKey, source, timestamp }: About,
  tx: Tx,
  fencingToken: bigint | undefined,
  limit: TimeLimit,
  report: (error: unknown) => void,
): EventContext<Tx> {
  const { signal, deadline, throwIfExpired } = limit;
  const context = {
    idempotencyKey,
    source,
    timestamp,
    tx,
    fencingToken,
    signal,
    deadline,
    throwIfExpired,
    [REPORT]: report,
  };
  return context;
}

/** Reports an error that must not fail the event to the receiver that created `context`. */
export function reportTo(context: unknown, error: unknown): void {
  try {
    (context as { [REPORT]?(error: unknown): void } | null | undefined)?.[REPORT]?.(error);
  } catch {
    // The context may be user code. An event must not fail because its report did.
  }
}
