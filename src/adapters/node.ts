import type { ServerResponse } from 'node:http';
import type { VerifiedDelivery } from '../handle/types.js';
import { notRequest } from '../internal/not-request.js';
import type { DeliveryRequest } from '../receive/request.js';
import type { ReceiverOptions, VerifierOptions } from '../receiver/options.js';
import { asReceiver, type Receiver } from '../receiver/receiver.js';
import { asVerifier, type Verifier } from '../receiver/verifier.js';
import { fromNodeRequest, type NodeRequest, respond } from './node-http.js';

export type { NodeRequest };

/** A listener for node:http. */
export type NodeHandler = (request: NodeRequest, response: ServerResponse) => Promise<void>;

/** Resolves to the authentic delivery, or to undefined after it has answered a refused request. */
export type NodeVerifier = (request: NodeRequest, response: ServerResponse) => Promise<VerifiedDelivery | undefined>;

const FIX =
  'Call the handler before anything reads the request (in Koa: before the body parser), ' +
  'or keep the bytes as a Buffer in req.rawBody.';

/**
 * Creates a listener that answers deliveries, for node:http and every framework that passes on its request and
 * response. Its promise never rejects, because node:http does not await it. If the body was read before the call, it
 * answers 500 and reports `ERR_WEBHOOK_RAW_BODY_UNAVAILABLE`, whose message contains the fix, to `onError` and
 * `logger`.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { nodeHandler } from 'event-webhook-receiver/node';
 *
 * const secret = process.env.WEBHOOK_SECRET ?? '';
 * createServer(nodeHandler({ secret, onEvent: (event) => console.log(event.id) })).listen(3000);
 * ```
 * @param receiverOrOptions A receiver, or options to create one with.
 * @returns The listener. It rejects with ConfigError `ERR_WEBHOOK_CONFIG` when it does not get a request and a response.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is missing, unknown or invalid.
 */
export function nodeHandler<Tx = undefined>(receiverOrOptions: Receiver | ReceiverOptions<Tx>): NodeHandler {
  const receiver = asReceiver(receiverOrOptions);
  return async (request, response) => {
    respond(request, response, await receiver.handleRequest(presented(request, response)));
  };
}

/**
 * Creates a function that verifies and parses a request of node:http for code that answers it itself. It answers refused
 * requests, with an empty body, and never rejects. It does not deduplicate events.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { nodeVerifier } from 'event-webhook-receiver/node';
 *
 * const verify = nodeVerifier({ secret: process.env.WEBHOOK_SECRET ?? '' });
 * createServer(async (request, response) => {
 *   const delivery = await verify(request, response);
 *   if (delivery === undefined) return;
 *   console.log(delivery.items.length);
 *   response.end();
 * }).listen(3000);
 * ```
 * @param verifierOrOptions A verifier, or options to create one with.
 * @returns The function. It resolves to `undefined` after it has answered a refused request.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is missing, unknown or invalid.
 */
export function nodeVerifier(verifierOrOptions: Verifier | VerifierOptions): NodeVerifier {
  const verifier = asVerifier(verifierOrOptions);
  return async (request, response) => {
    const { delivery, refusal } = await verifier.verifyRequest(presented(request, response));
    if (refusal) respond(request, response, refusal);
    return delivery;
  };
}

function presented(request: NodeRequest, response: unknown): DeliveryRequest {
  const isResponse = typeof Object(response).end === 'function';
  // Requests are event emitters. Wrappers and test tools create some that are not instances.
  if (isResponse && typeof Object(request).on === 'function') return fromNodeRequest(request, FIX);
  throw notRequest('nodeHandler takes a request and response of Node.js', isResponse ? request : response);
}
