import { type Channel, tracingChannel as create, type TracingChannel } from 'node:diagnostics_channel';

export { channel } from 'node:diagnostics_channel';
// `#runtime` in Bun, whose crypto module is Node's.
export { equalHex, hmacAhead, hmacHex, sha256Hex } from './hmac-node.js';

/** Bun's tracing channels do not report whether they have subscribers, so this asks the five channels of each. */
export function tracingChannel<Store, Message extends object>(name: string): TracingChannel<Store, Message> {
  const channel = create<Store, Message>(name);
  const parts: Channel[] = Object.values(channel);
  return Object.defineProperty(channel, 'hasSubscribers', { get: () => parts.some((part) => part.hasSubscribers) });
}
