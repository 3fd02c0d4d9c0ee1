import { answerHeaders, type DeliveryResult, validStatus } from '../receiver/answer.js';
import type { VerifiedDelivery } from '../receiver/delivery-request.js';
import type { ReceiverOptions, VerifierOptions } from '../receiver/options.js';
import { asReceiver, type Receiver } from '../receiver/receiver.js';
import { asVerifier, type Verifier } from '../receiver/verifier.js';
import { FetchDelivery } from './fetch-request.js';

/** The execution context that Workers pass. Express's response is not one: `app.post(path, fetchHandler(…))` fails to compile. */
export interface FetchContext {
  readonly waitUntil?: unknown;
  readonly headersSent?: never;
  toString(): string;
}

/** A handler of web-standard requests. Runtimes pass more after the request: Workers `env` and a context, others one object. */
export type FetchHandler = (
  request: Request,
  env?: unknown,
  context?: FetchContext | null,
  ...others: unknown[]
) => Promise<Response>;

/**
 * Creates a handler of web-standard requests that answers deliveries: for Hono, Next.js route handlers, Workers, Bun, Deno,
 * and everything else that speaks `Request` and `Response`.
 *
 * Cloudflare Workers stops the work of a request when its sender disconnects; its events then hang as long as the isolate
 * lives. To finish it, pass on the execution context, `receive(request, context)`, or use the handler itself as the
 * Worker's `fetch`. Any argument after the request that has a `waitUntil` works, such as the event of h3 and Nitro.
 *
 * @example
 * ```ts
 * import { fetchHandler } from 'event-webhook-receiver/fetch';
 *
 * const secret = process.env.WEBHOOK_SECRET ?? '';
 * export const POST = fetchHandler({ secret, onEvent: (event) => console.log(event.id) });
 * ```
 * @param receiverOrOptions A receiver, or options to create one with.
 * @returns The handler. It rejects with RawBodyUnavailableError when the body was read before the call.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is missing, unknown or invalid.
 */
export function fetchHandler<Tx = undefined>(receiverOrOptions: Receiver | ReceiverOptions<Tx>): FetchHandler {
  const receiver = asReceiver(receiverOrOptions);
  return async (request, ...host) => {
    const receiving = receiver.handleRequest(new FetchDelivery(request));
    const done = receiving.catch(() => {});
    // Not the request's own: Next.js has one there that throws.
    for (const context of host) keepGoing(context, done);
    return toResponse(await receiving);
  };
}

/** Has a host wait for `done`. One whose `waitUntil` throws cannot, and the delivery is answered without it. */
function keepGoing(context: unknown, done: Promise<unknown>): void {
  try {
    const host = context as { waitUntil?: unknown } | null | undefined;
    if (typeof host?.waitUntil === 'function') host.waitUntil(done);
  } catch {
    // The answer reports everything that matters.
  }
}

/** Either the authentic delivery, or the response that refuses the request. */
export type FetchVerification =
  | { readonly delivery: VerifiedDelivery; readonly response?: undefined }
  | { readonly delivery?: undefined; readonly response: Response };

/** Options objects are resolved once: the limits of a verifier cover all of its requests. */
const verifiers = new WeakMap<object, Verifier>();

/**
 * Verifies and parses a web-standard request for code that answers it itself. It does not deduplicate events.
 *
 * @example
 * ```ts
 * import { createVerifier } from 'event-webhook-receiver';
 * import { verifyRequest } from 'event-webhook-receiver/fetch';
 *
 * const verifier = createVerifier({ secret: process.env.WEBHOOK_SECRET ?? '' });
 *
 * export async function POST(request: Request): Promise<Response> {
 *   const { delivery, response } = await verifyRequest(request, verifier);
 *   if (response) return response;
 *   console.log(delivery.items.length);
 *   return new Response(null, { status: 200 });
 * }
 * ```
 * @param verifierOrOptions A verifier, or options to create one with. Pass the same object each time: its limits then cover
 * all requests. Options are read once, so later changes to them have no effect; to rotate a secret, pass a function.
 * @returns The verified delivery, or the response to return. It rejects with RawBodyUnavailableError when the body was read
 * before the call, and with ConfigError `ERR_WEBHOOK_CONFIG` when an option is missing, unknown or invalid.
 */
export async function verifyRequest(
  request: Request,
  verifierOrOptions: Verifier | VerifierOptions,
): Promise<FetchVerification> {
  let verifier = verifiers.get(verifierOrOptions);
  if (verifier === undefined) {
    verifier = asVerifier(verifierOrOptions);
    verifiers.set(verifierOrOptions, verifier);
  }
  const { delivery, refusal } = await verifier.verifyRequest(new FetchDelivery(request));
  return refusal ? { response: toResponse(refusal) } : { delivery };
}

function toResponse(result: DeliveryResult): Response {
  return new Response(null, { status: validStatus(result.status), headers: answerHeaders(result) });
}
