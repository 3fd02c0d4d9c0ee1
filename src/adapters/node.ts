import type { ServerResponse } from 'node:http';
import type { DeliveryResult } from '../receiver/answer.js';
import type { ReceiverOptions } from '../receiver/options.js';
import { asReceiver, type Receiver } from '../receiver/receiver.js';
import { type NodeRequest, toDeliveryRequest } from './node-http.js';
import { respond } from './respond.js';

export type { NodeRequest };

const FIX =
  'Call the handler before anything reads the request (in Koa: before the body parser), ' +
  'or keep the bytes as a Buffer in req.rawBody.';

/**
 * A listener for node:http, or for any framework that hands on its request and response, that answers deliveries. Its
 * promise never rejects, as nobody may be waiting for it: when the body was read before it was called, it answers 500
 * and reports `ERR_WEBHOOK_RAW_BODY_UNAVAILABLE`, whose message says what to do, to `onError` and `logger`.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { nodeHandler } from 'event-webhook-receiver/node';
 *
 * const secret = process.env.WEBHOOK_SECRET ?? '';
 * createServer(nodeHandler({ secret, toleranceSeconds: 300, onEvent: (event) => console.log(event.id) })).listen(3000);
 * ```
 * @param receiverOrOptions A receiver, or options to create one with.
 * @returns The listener.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is missing or makes no sense.
 */
export function nodeHandler<Tx = undefined>(
  receiverOrOptions: Receiver | ReceiverOptions<Tx>,
): (request: NodeRequest, response: ServerResponse) => Promise<void> {
  const receiver = asReceiver(receiverOrOptions);
  return async (request, response) => {
    let result: DeliveryResult;
    try {
      result = await receiver.handleRequest(toDeliveryRequest(request, FIX, { answersUnavailable: true }));
    } catch {
      // Ours reports everything and rejects never. One of somebody's own did not keep to that, and nobody catches here.
      result = { status: 500, outcomes: [] };
    }
    respond(request, response, result);
  };
}
