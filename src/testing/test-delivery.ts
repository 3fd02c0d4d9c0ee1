import { checkOptions } from '../internal/check-options.js';
import { type SignedDelivery, type SignOptions, signDelivery } from '../signature/sign-delivery.js';

/** A signed delivery, ready to send in a test. */
export interface TestDelivery extends SignedDelivery<string> {
  /** Returns a new POST `Request` with the delivery, for a Fetch handler. (Default URL: `http://localhost/webhooks`.) */
  request(url?: string | URL): Request;
  /** Sends the delivery to a running server with `fetch`. */
  send(url: string | URL): Promise<Response>;
}

/**
 * Creates a signed delivery of events, serialized like the live service's (compact, with Go's escapes). It does not check
 * the events, so that a test can also send invalid ones.
 *
 * @example
 * ```ts
 * import { createTestDelivery, sampleEventEmitted } from 'event-webhook-receiver/testing';
 *
 * const delivery = createTestDelivery([sampleEventEmitted()], { secret: 'whsec-test' });
 * const response = await delivery.send('http://localhost:3000/webhooks');
 * console.log(response.status);
 * ```
 * @param events Events, or anything else that JSON can represent.
 * @param options `secret`; `timestamp` in Unix seconds (Default: now); `headers`, the names of the headers.
 * @returns The body, its headers, and functions to send it.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is missing, unknown or invalid.
 */
export function createTestDelivery(events: readonly unknown[], options: SignOptions): TestDelivery {
  checkOptions('createTestDelivery', options, ['secret', 'timestamp', 'headers']);
  const delivery = signDelivery(goJson(events), options);
  const init = { method: 'POST', headers: delivery.headers, body: delivery.rawBody };
  return {
    ...delivery,
    request: (url = 'http://localhost/webhooks') => new Request(url, init),
    send: (url) => fetch(url, init),
  };
}

/** JSON as Go writes it: compact, with Go's escapes. Parsing and serializing it in JavaScript changes its bytes. */
function goJson(value: unknown): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, escaped);
}
