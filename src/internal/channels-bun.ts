import { type Channel, tracingChannel as create, type TracingChannel } from 'node:diagnostics_channel';

/** Bun's tracing channels, which do not say by themselves whether anybody listens. */
export function tracingChannel<Store, Message extends object>(name: string): TracingChannel<Store, Message> {
  const channel = create<Store, Message>(name);
  const parts: Channel[] = Object.values(channel);
  return Object.defineProperty(channel, 'hasSubscribers', { get: () => parts.some((part) => part.hasSubscribers) });
}
