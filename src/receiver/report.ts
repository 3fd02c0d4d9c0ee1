/**
 * The method by which a route tells the receiver's `onError` of an event that it passed over. Global, so that a router and
 * a receiver of two copies of the library (ESM beside CommonJS) find each other's.
 */
export const REPORT: unique symbol = Symbol.for('event-webhook-receiver.report') as never;

/** Tells the receiver that gave `context` to a handler of an error that must not fail the event. */
export function reportTo(context: unknown, error: unknown): void {
  try {
    (context as { [REPORT]?(error: unknown): void } | null | undefined)?.[REPORT]?.(error);
  } catch {
    // The context is somebody else's. An event must not fail because nobody could be told about it.
  }
}
