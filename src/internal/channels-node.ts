/** Node's own tracing channels: every copy of this library, and every subscriber, gets the same one for a name. */
export { tracingChannel } from 'node:diagnostics_channel';
