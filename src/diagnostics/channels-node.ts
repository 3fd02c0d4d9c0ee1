import { tracingChannel as create, type TracingChannel } from 'node:diagnostics_channel';

/** Node's own tracing channel of a name: the one that every copy of this library, and every subscriber, gets. */
export function tracingChannel<Message extends object>(name: string): TracingChannel<unknown, Message> {
  return create<unknown, Message>(name);
}
