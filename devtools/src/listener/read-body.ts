import {
  createReceiver,
  type DeliveryRequest,
  type DeliveryResult,
  type VerifierOptions,
} from 'event-webhook-receiver';
import { serviceHeaders } from 'event-webhook-receiver/verify';

/** The body of a delivery, or the answer to a request whose body cannot be read. */
export type ReadBody = { readonly body: Uint8Array } | { readonly refused: DeliveryResult };

const RECEIVE_TIMEOUT_MS = 30_000;

/**
 * Reads bodies, even of deliveries whose headers a receiver would refuse, so that they can be shown. A receiver without a
 * secret bounds the memory: it reads every body within its limits and accepts none.
 */
export function createBodyReader(
  limits: Pick<VerifierOptions, 'maxBodyBytes' | 'maxArriving' | 'maxArrivingBytes'>,
): (request: DeliveryRequest) => Promise<ReadBody> {
  const receiver = createReceiver({
    ...limits,
    receiveTimeoutMs: RECEIVE_TIMEOUT_MS,
    secret: () => undefined,
    toleranceSeconds: 1,
    now: () => 0,
    store: false,
    onEvent: () => {},
  });
  // Without well-formed headers it would not read the body.
  const headers: Readonly<Record<string, string>> = {
    [serviceHeaders.signature.toLowerCase()]: '0'.repeat(64),
    [serviceHeaders.timestamp.toLowerCase()]: '0',
  };
  return async (request) => {
    let body: Uint8Array | undefined;
    const refused = await receiver.handleRequest({
      method: request.method,
      header: (name) => headers[name] ?? request.header(name),
      rawBody() {
        const read = request.rawBody();
        if (typeof read !== 'function') return read;
        return async (bounds) => {
          body = await read(bounds);
          return body;
        };
      },
    });
    return body === undefined ? { refused } : { body };
  };
}
