import type { ServerResponse } from 'node:http';
import { isUnavailable } from '../handle/answer.js';
import type { VerifiedDelivery } from '../handle/types.js';
import type { ReceiverOptions, VerifierOptions } from '../receiver/options.js';
import { asReceiver, type Receiver } from '../receiver/receiver.js';
import { asVerifier, type Verifier } from '../receiver/verifier.js';
import { fromNodeRequest, type NodeRequest, respond } from './node-http.js';

declare global {
  namespace Express {
    interface Request {
      /** The verified delivery, set by `expressVerifier`. */
      webhook?: VerifiedDelivery;
    }
  }
}

/** An Express request handler, for Express 4 and 5. */
export type ExpressHandler = (
  request: NodeRequest & { webhook?: VerifiedDelivery },
  response: ServerResponse,
  next: (error?: unknown) => void,
) => Promise<void>;

const FIX =
  'Mount the webhook route before express.json(), or have it keep the bytes: ' +
  "express.json({ limit: '10mb', verify: (req, res, buffer) => { req.rawBody = buffer; } }); " +
  'in NestJS: NestFactory.create(AppModule, { rawBody: true }).';

/**
 * Creates an Express handler that answers deliveries. It reads the untouched stream itself, so it needs no `express.raw()`;
 * it also takes `req.rawBody` or a Buffer in `req.body`. If a parser has consumed the body, it calls `next` with
 * `ERR_WEBHOOK_RAW_BODY_UNAVAILABLE`, whose message says what to do.
 *
 * @example
 * ```ts
 * import express from 'express';
 * import { expressHandler } from 'event-webhook-receiver/express';
 *
 * const app = express();
 * const secret = process.env.WEBHOOK_SECRET ?? '';
 * app.post('/webhooks', expressHandler({ secret, onEvent: (event) => console.log(event.id) }));
 * ```
 * @param receiverOrOptions A receiver, or options to create one with.
 * @returns The handler to mount.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is missing, unknown or invalid.
 */
export function expressHandler<Tx = undefined>(receiverOrOptions: Receiver | ReceiverOptions<Tx>): ExpressHandler {
  const receiver = asReceiver(receiverOrOptions);
  return async (request, response, next) => {
    const result = await receiver.handleRequest(fromNodeRequest(request, FIX));
    if (isUnavailable(result)) next(result.error);
    else respond(request, response, result);
  };
}

/**
 * Creates an Express middleware for code that answers deliveries itself: it verifies and parses, sets `req.webhook` and
 * calls `next()`. It answers refused requests itself, with an empty body. It does not deduplicate events.
 *
 * @example
 * ```ts
 * import express from 'express';
 * import { expressVerifier } from 'event-webhook-receiver/express';
 *
 * const app = express();
 * const secret = process.env.WEBHOOK_SECRET ?? '';
 * app.post('/webhooks', expressVerifier({ secret }), (req, res) => {
 *   console.log(req.webhook?.items.length);
 *   res.status(200).end();
 * });
 * ```
 * @param verifierOrOptions A verifier, or options to create one with.
 * @returns The middleware to mount before your handler.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is missing, unknown or invalid.
 */
export function expressVerifier(verifierOrOptions: Verifier | VerifierOptions): ExpressHandler {
  const verifier = asVerifier(verifierOrOptions);
  return async (request, response, next) => {
    const { delivery, refusal } = await verifier.verifyRequest(fromNodeRequest(request, FIX));
    if (refusal && !isUnavailable(refusal)) return respond(request, response, refusal);
    if (delivery) request.webhook = delivery;
    next(refusal?.error);
  };
}
