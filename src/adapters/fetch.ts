import { answerHeaders, type DeliveryResult, validStatus } from '../handle/answer.js';
import { stopwatch } from '../internal/deadline.js';
import type { ReceiverOptions, VerifierOptions } from '../receiver/options.js';
import { asReceiver, type Receiver } from '../receiver/receiver.js';
import { asVerifier, type Verification, type Verifier } from '../receiver/verifier.js';
import { fromFetchRequest, type RequestOrContext } from './fetch-request.js';
import { isUnavailable } from './respond.js';

/**
 * A handler of web-standard requests, or of a context that holds one (`request`, `req`, `req.raw`). Runtimes pass more after
 * it: Workers `env` and a context, others one object.
 */
export interface FetchHandler {
  (context: RequestOrContext, ...others: unknown[]): Promise<Response>;
  /** The last signature is the one that Next.js checks in a build with webpack. */
  (request: Request, ...others: unknown[]): Promise<Response>;
}

/**
 * Creates a handler of web-standard requests that answers deliveries: for Hono, Next.js route handlers, Workers, Bun,
 * Deno, and everything else that uses `Request` and `Response`. Frameworks that pass a context with the request
 * (SvelteKit, Astro, Hono, h3) can mount it directly.
 *
 * Cloudflare Workers stops the work of a request when its sender disconnects; its events then wait for the end of their
 * lease. To let the work finish, pass the execution context, `receive(request, context)`, or use the handler as the
 * Worker's `fetch`. Any argument after the request that has a `waitUntil` works, such as the event of h3 and Nitro. It
 * also lets a handler that outlives `handlerTimeoutMs` continue after the answer.
 *
 * Cloudflare grants 30 s after the sender disconnected. So with a context on Workers, a delivery is answered within 30
 * s of its arrival: handlers end 500 ms before, and an event with too little time left is not begun but answered 503
 * (`ERR_WEBHOOK_OUT_OF_TIME`). Other hosts do not report their limit: set `handlerTimeoutMs` so that all events of a
 * delivery finish within it, such as the `maxDuration` of Vercel.
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
  const { navigator } = globalThis as { navigator?: { userAgent?: unknown } };
  // Other hosts with a `waitUntil` do not report their limits.
  const isOnCloudflare = navigator?.userAgent === 'Cloudflare-Workers';
  return async (request: RequestOrContext, ...others: unknown[]) => {
    // Skip `waitUntil` of the request: that of Next.js throws.
    const host = others.find((each) => typeof Object(each).waitUntil === 'function') as Waiter | undefined;
    const waitUntil = host && ((work: Promise<unknown>) => host.waitUntil(work));
    // Counted from the arrival: the sender may disconnect at any time after it.
    const elapsedMs = waitUntil && isOnCloudflare ? stopwatch() : undefined;
    const remainingMs = elapsedMs && (() => CLOUDFLARE_MS - elapsedMs());
    const result = await receiver.handleRequest(fromFetchRequest(request, { waitUntil, remainingMs }));
    // Express and node:http ignore what a handler returns: without this, the refused request would hang.
    const [response] = others as [Partial<ServerResponseLike> | undefined];
    if (typeof Object(request).on === 'function' && typeof response?.writeHead === 'function') {
      response.writeHead(validStatus(result.status)).end();
    }
    return toResponse(result);
  };
}

/** The part of Node's response that is used. */
interface ServerResponseLike {
  writeHead(status: number): { end(): unknown };
}

type Waiter = { waitUntil(work: Promise<unknown>): unknown };

/** How long Cloudflare lets the work of a request run after its sender disconnected, in ms. */
const CLOUDFLARE_MS = 30_000;

/** Verifies and parses a request that your code answers itself. */
export type FetchVerifier = (request: RequestOrContext) => Promise<Verification<Response>>;

/**
 * Creates a function that verifies and parses web-standard requests for code that answers them itself. It does not
 * deduplicate events.
 *
 * @example
 * ```ts
 * import { fetchVerifier } from 'event-webhook-receiver/fetch';
 *
 * const verify = fetchVerifier({ secret: process.env.WEBHOOK_SECRET ?? '' });
 *
 * export async function POST(request: Request): Promise<Response> {
 *   const { delivery, refusal } = await verify(request);
 *   if (refusal) return refusal;
 *   console.log(delivery.items.length);
 *   return new Response(null, { status: 200 });
 * }
 * ```
 * @param verifierOrOptions A verifier, or options to create one with.
 * @returns The function. It resolves to the `delivery`, or to the response to return as `refusal`, and rejects with
 * RawBodyUnavailableError when the body was read before the call.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is missing, unknown or invalid.
 */
export function fetchVerifier(verifierOrOptions: Verifier | VerifierOptions): FetchVerifier {
  const verifier = asVerifier(verifierOrOptions);
  return async (request) => {
    const { delivery, refusal } = await verifier.verifyRequest(fromFetchRequest(request));
    return refusal ? { refusal: toResponse(refusal) } : { delivery };
  };
}

function toResponse(result: DeliveryResult): Response {
  if (isUnavailable(result)) throw result.error;
  return new Response(null, { status: validStatus(result.status), headers: answerHeaders(result) });
}
