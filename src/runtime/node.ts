// `#runtime` in Node and Deno. Every copy of this library, and every subscriber, gets the same channel for a name.
export { channel, tracingChannel } from 'node:diagnostics_channel';
export { equalHex, hmacAhead, hmacHex, sha256Hex } from './hmac-node.js';
