import type { ServerResponse } from 'node:http';
import type { ReceiverOptions } from '../options.js';
import { asReceiver, type Receiver } from '../receiver.js';
import { type NodeRequest, toDeliveryRequest } from './node-http.js';
import { respond } from './respond.js';

export type { NodeRequest };

const FIX =
  'Call the handler before anything reads the request (in Koa: before the body parser), ' +
  'or keep the bytes as a Buffer in req.rawBody.';

/**
 * A listener for node:http, or for any framework that hands on its request and response, that answers deliveries.
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
 * @returns The listener. It rejects with RawBodyUnavailableError when the body was read before it was called.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is missing or makes no sense.
 */
export function nodeHandler<Tx = undefined>(
  receiverOrOptions: Receiver | ReceiverOptions<Tx>,
): (request: NodeRequest, response: ServerResponse) => Promise<void> {
  const receiver = asReceiver(receiverOrOptions);
  return async (request, response) => {
    respond(request, response, await receiver.receive(toDeliveryRequest(request, FIX)));
  };
}
