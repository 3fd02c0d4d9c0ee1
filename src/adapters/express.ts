import type { ServerResponse } from 'node:http';
import { answerTo, asWebhookError } from '../receiver/answer.js';
import { createArrivals } from '../receiver/arrivals.js';
import { createIntake, type VerifiedDelivery } from '../receiver/intake.js';
import { type ReceiverOptions, resolveVerifierOptions, type VerifierOptions } from '../receiver/options.js';
import { asReceiver, type Receiver } from '../receiver/receiver.js';
import { createReporter } from '../receiver/reporter.js';
import { type NodeRequest, toDeliveryRequest } from './node-http.js';
import { respond } from './respond.js';

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
 * An Express handler that answers deliveries. It reads the untouched stream itself, so it needs no `express.raw()`;
 * it also takes `req.rawBody` or a Buffer in `req.body`. When a parser has used up the body it calls `next` with
 * `ERR_WEBHOOK_RAW_BODY_UNAVAILABLE`, whose message says what to do.
 *
 * @example
 * ```ts
 * import express from 'express';
 * import { expressHandler } from 'event-webhook-receiver/express';
 *
 * const app = express();
 * const secret = process.env.WEBHOOK_SECRET ?? '';
 * app.post('/webhooks', expressHandler({ secret, toleranceSeconds: 300, onEvent: (event) => console.log(event.id) }));
 * ```
 * @param receiverOrOptions A receiver, or options to create one with.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is missing or makes no sense.
 */
export function expressHandler<Tx = undefined>(receiverOrOptions: Receiver | ReceiverOptions<Tx>): ExpressHandler {
  const receiver = asReceiver(receiverOrOptions);
  return async (request, response, next) => {
    try {
      respond(request, response, await receiver.handleRequest(toDeliveryRequest(request, FIX)));
    } catch (error) {
      // Express takes nothing, and some texts, for no error.
      next(typeof error === 'object' && error !== null ? error : asWebhookError(error));
    }
  };
}

/**
 * An Express middleware for those who answer themselves: it verifies and parses, sets `req.webhook` and calls
 * `next()`. What is refused it answers itself, with an empty body. It deduplicates nothing and runs no handler.
 *
 * @example
 * ```ts
 * import express from 'express';
 * import { expressVerifier } from 'event-webhook-receiver/express';
 *
 * const app = express();
 * const secret = process.env.WEBHOOK_SECRET ?? '';
 * app.post('/webhooks', expressVerifier({ secret, toleranceSeconds: 300 }), (req, res) => {
 *   console.log(req.webhook?.items.length);
 *   res.status(200).end();
 * });
 * ```
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is missing or makes no sense.
 */
export function expressVerifier(options: VerifierOptions): ExpressHandler {
  const resolved = resolveVerifierOptions(options);
  const intake = createIntake(resolved);
  const arrivals = createArrivals(resolved);
  const reporter = createReporter(resolved);
  return async (request, response, next) => {
    const refuse = (cause: unknown) => {
      const error = asWebhookError(cause);
      reporter.failed(error, {});
      respond(request, response, answerTo(error));
    };
    let signed: ReturnType<typeof intake.open>;
    try {
      signed = intake.open(toDeliveryRequest(request, FIX));
    } catch (error) {
      // From here alone: later on it could be user code that throws something of that name.
      if (asWebhookError(error).code === 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE') return next(error);
      return refuse(error);
    }
    try {
      request.webhook = await arrivals.run((arrival) => intake.verify(signed, arrival));
    } catch (error) {
      return refuse(error);
    }
    next();
  };
}
