import { tracingChannel as create, type TracingChannel } from 'node:diagnostics_channel';

/** Bun's tracing channels, which do not say by themselves whether anybody listens. */
export function tracingChannel<Store, Message extends object>(name: string): TracingChannel<Store, Message> {
  const channel = create<Store, Message>(name);
  return Object.defineProperty(channel, 'hasSubscribers', {
    get: () =>
      channel.start.hasSubscribers ||
      channel.end.hasSubscribers ||
      channel.asyncStart.hasSubscribers ||
      channel.asyncEnd.hasSubscribers ||
      channel.error.hasSubscribers,
  });
}
