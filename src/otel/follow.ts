import { tracingChannel } from 'node:diagnostics_channel';
import type { Context } from '@opentelemetry/api';
import { ContextStore } from './context-store.js';
import { guarded } from './guarded.js';

/** How to follow a message: the context to activate during its work, and a callback for its end. */
export interface Followed {
  readonly context?: Context | undefined;
  finish(): void;
}

/**
 * Follows each message of one of the receiver's channels from start to end, even if `begin` or `finish` throws. Returns
 * a function that stops following new messages; those in progress are finished.
 */
export function follow<Message extends object>(
  name: 'delivery' | 'event' | 'handler',
  begin: (message: Message) => Followed | undefined,
  store = new ContextStore(),
): () => void {
  const { start, asyncEnd } = tracingChannel<unknown, Message>(`event-webhook-receiver:${name}`);
  const underWay = new Map<unknown, Followed>();
  let stopped = false;

  const onEnd = (message: unknown) => {
    const followed = underWay.get(message);
    underWay.delete(message);
    if (followed) guarded(() => followed.finish());
    leave();
  };
  const leave = () => {
    if (stopped && underWay.size === 0) asyncEnd.unsubscribe(onEnd);
  };

  start.bindStore(store, (message) => {
    const followed = guarded(() => begin(message as Message));
    if (followed) underWay.set(message, followed);
    return followed?.context;
  });
  asyncEnd.subscribe(onEnd);
  return () => {
    stopped = true;
    start.unbindStore(store);
    leave();
  };
}
