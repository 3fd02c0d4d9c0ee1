// `#runtime` where there are no Node modules: SHA-256 in JavaScript.
export { equalHex, hmacAhead, hmacHex, sha256Hex } from './hmac-pure.js';

// These runtimes have no diagnostics_channel, so there are no subscribers.
export function tracingChannel() {
  return { hasSubscribers: false };
}

export function channel() {
  return { publish() {} };
}
