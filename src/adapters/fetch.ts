import { RawBodyUnavailableError, WebhookError } from '../errors.js';
import { answerHeaders, type DeliveryResult, isUnavailable, validStatus } from '../handle/answer.js';
import { Deadline, type HostGrants } from '../handle/deadline.js';
import { notRequest } from '../internal/not-request.js';
import { type BodyReader, type DeliveryRequest, incomplete, pathOf, readBody } from '../receive/request.js';
import type { ReceiverOptions, VerifierOptions } from '../receiver/options.js';
import { asReceiver, type Receiver } from '../receiver/receiver.js';
import { asVerifier, type Verification, type Verifier } from '../receiver/verifier.js';

const FIX =
  'Call the handler before anything reads the body (context.req.json() in Hono, readBody(event) in h3 and Nitro, ' +
  "request.json() elsewhere; in Elysia mount it with parse: 'none'), or have the earlier reader use request.clone().";

/** The parts of a Request that are used. The HttpRequest of Azure Functions has only some of a Request's properties. */
export interface RequestLike {
  readonly method: string;
  readonly url: string;
  readonly headers: { get(name: string): string | null };
  readonly body: object | null;
  readonly bodyUsed: boolean;
}

/** The argument of a Fetch handler: a Request, or a framework's context that contains it. */
export type RequestOrContext =
  | Request
  | RequestLike
  /** SvelteKit, Astro, React Router, Pages Functions. */
  | { readonly request: Request }
  /** Hono has it in `req.raw`, h3 in `req`. */
  | { readonly req: Request | { readonly raw: Request } };

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
 * Cloudflare grants 30 s after the sender disconnected. So with a context on Workers, a delivery gets its response within
 * 30 s of its arrival. Handlers are stopped 500 ms before that. An event with too little time left does not start and gets
 * 503 (`ERR_WEBHOOK_OUT_OF_TIME`). Other hosts do not report their limit: set `handlerTimeoutMs` so that all events of a
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
 * @returns The handler. It rejects with RawBodyUnavailableError when the body was read before the call. When it gets no
 * Request, as in Express or node:http, the answer is 500 and it reports ConfigError `ERR_WEBHOOK_CONFIG`.
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
    const limit = waitUntil && isOnCloudflare ? new Deadline(CLOUDFLARE_MS) : undefined;
    const remainingMs = limit && (() => limit.remainingMs());
    const result = await receiver.handleRequest(fromFetchRequest(request, { waitUntil, remainingMs }));
    // node:http and Express pass a response, and ignore the returned one.
    if (result.status === 500 && !requestIn(request)) others.find(isNodeResponse)?.writeHead(500).end();
    return toResponse(result);
  };
}

type NodeResponse = { writeHead(status: number): { end(): unknown } };
const isNodeResponse = (each: unknown): each is NodeResponse => typeof Object(each).writeHead === 'function';

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

/** Wraps a web-standard request. Anything else becomes a request that is answered 500. */
function fromFetchRequest(given: RequestOrContext, grants: HostGrants = {}): DeliveryRequest {
  const request = requestIn(given);
  if (!request) {
    const rawBody = () => {
      // Not thrown to the host: node:http and Express 4 do not await their handlers.
      throw notRequest('A Fetch handler takes a Request', given);
    };
    return { method: 'POST', header: () => undefined, rawBody };
  }
  return {
    ...grants,
    method: request.method,
    url: pathOf(request.url)?.split('#', 1)[0],
    header: (name) => request.headers.get(name),
    rawBody: () => readerOf(bodyOf(request)),
  };
}

/** Throws if the body was read. Hosts that create the Request lazily, such as srvx, throw at this point. */
function bodyOf(request: Request): Request['body'] {
  let cause: unknown;
  try {
    const { bodyUsed, body } = request;
    const isUnreadable = body != null && typeof body.getReader !== 'function';
    if (!bodyUsed && !body?.locked && !isUnreadable) return body;
  } catch (error) {
    cause = error;
  }
  throw new RawBodyUnavailableError(FIX, cause);
}

/** Some frameworks pass a context instead of the Request. */
function requestIn(given: unknown): Request | undefined {
  // The NextRequest of the edge runtime has a `request` that throws.
  if (isRequest(given)) return given;
  const { request, req } = Object(given);
  return [request, req, Object(req).raw].find(isRequest);
}

/** Not instanceof: Requests of other realms and polyfills fail it. h3 events also have such headers. */
function isRequest(given: unknown): given is Request {
  return typeof Object(Object(given).headers).get === 'function' && 'bodyUsed' in Object(given);
}

function readerOf(body: ReadableStream<Uint8Array> | null): BodyReader {
  return readBody((add, finish) => {
    const reader = body?.getReader();
    const flow = async () => {
      for (;;) {
        const { done, value } = (await reader?.read()) ?? { done: true };
        if (done) return;
        add(value as Uint8Array);
      }
    };
    flow().then(
      () => finish(),
      (error) => finish(whyUnread(error)),
    );
    const cancel = async () => reader?.cancel();
    // Not awaited: a hanging source would delay the answer.
    return () => void cancel().catch(() => {});
  });
}

/** Hosts with a body limit, such as SvelteKit and h3, fail the stream with a 413 error. */
function whyUnread(error: unknown): WebhookError {
  if (Object(error).status !== 413) return incomplete('the stream failed', error);
  return new WebhookError(
    'ERR_WEBHOOK_BODY_TOO_LARGE',
    'The body is larger than the host in front of the receiver allows: raise its limit (BODY_SIZE_LIMIT of SvelteKit, bodyLimit of h3) above maxBodyBytes.',
    { cause: error },
  );
}
