import { isWebhookError, RawBodyUnavailableError, type WebhookError } from '../errors.js';
import { withDeadline } from '../internal/deadline.js';
import { answerHeaders } from '../receiver/answer.js';
import { type Arrival, createArrivals } from '../receiver/arrivals.js';
import {
  type BodyReader,
  createIntake,
  type DeliveryRequest,
  hostLimit,
  incomplete,
  type VerifiedDelivery,
} from '../receiver/intake.js';
import { type ReceiverOptions, resolveVerifierOptions, type VerifierOptions } from '../receiver/options.js';
import { asReceiver, type Receiver } from '../receiver/receiver.js';
import { Collector } from './collect.js';
import { validStatus } from './status.js';

const FIX =
  'Call the handler before anything reads the body (context.req.json() in Hono, readBody(event) in h3 and Nitro, ' +
  'request.json() elsewhere), or let whatever must read it first read request.clone().';

/**
 * A handler of web-standard requests: for Hono, Next.js route handlers, Workers, Bun, Deno, and whatever else speaks
 * `Request` and `Response`.
 *
 * Cloudflare Workers drops what a request has begun when its sender goes away, and its events then hang as long as the
 * isolate lives. So hand on the execution context, which keeps it going: `receive(request, context)`, or the handler itself
 * as the Worker's `fetch`. Whatever has a `waitUntil`, in whatever place after the request, will do, as h3's and Nitro's event.
 *
 * @example
 * ```ts
 * import { fetchHandler } from 'event-webhook-receiver/fetch';
 *
 * const secret = process.env.WEBHOOK_SECRET ?? '';
 * export const POST = fetchHandler({ secret, toleranceSeconds: 300, onEvent: (event) => console.log(event.id) });
 * ```
 * @param receiverOrOptions A receiver, or options to create one with.
 * @returns The handler. It rejects with RawBodyUnavailableError when the body was read before it was called.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is missing or makes no sense.
 */
export function fetchHandler<Tx = undefined>(
  receiverOrOptions: Receiver | ReceiverOptions<Tx>,
): (request: Request, ...host: unknown[]) => Promise<Response> {
  const receiver = asReceiver(receiverOrOptions);
  return async (request, ...host) => {
    const receiving = receiver.handleRequest(toDeliveryRequest(request));
    // Not the request's own: Next.js has one there that throws.
    for (const context of host as ({ waitUntil?: unknown } | null | undefined)[]) {
      if (typeof context?.waitUntil === 'function') context.waitUntil(receiving.catch(() => {}));
    }
    const result = await receiving;
    return new Response(null, { status: validStatus(result.status), headers: answerHeaders(result) });
  };
}

/**
 * Verifies and parses a web-standard request for those who answer themselves. It deduplicates nothing.
 *
 * @example
 * ```ts
 * import { isWebhookError } from 'event-webhook-receiver';
 * import { verifyRequest } from 'event-webhook-receiver/fetch';
 *
 * export async function POST(request: Request): Promise<Response> {
 *   try {
 *     const { items } = await verifyRequest(request, { secret: process.env.WEBHOOK_SECRET ?? '', toleranceSeconds: 300 });
 *     console.log(items.length);
 *     return new Response(null, { status: 200 });
 *   } catch (error) {
 *     return new Response(null, { status: isWebhookError(error) ? error.status : 500 });
 *   }
 * }
 * ```
 * @returns The verified delivery.
 * @throws WebhookError whose `status` is the one to answer with; `ERR_WEBHOOK_CONFIG` when an option makes no sense.
 */
export async function verifyRequest(
  request: Request,
  options: Omit<VerifierOptions, 'maxArriving' | 'maxArrivingBytes' | 'maxInFlight' | 'onError'>,
): Promise<VerifiedDelivery> {
  // One delivery alone, whose size maxBodyBytes bounds.
  const resolved = resolveVerifierOptions({ ...options, maxArrivingBytes: Number.MAX_SAFE_INTEGER });
  const intake = createIntake(resolved);
  const signed = intake.open(toDeliveryRequest(request));
  return createArrivals(resolved).run((arrival) => intake.verify(signed, arrival));
}

function toDeliveryRequest(request: Request): DeliveryRequest {
  return new FetchDelivery(request);
}

/** A class, because an object literal with a getter gets a new shape, and garbage with it, each time. */
class FetchDelivery implements DeliveryRequest {
  readonly method: string;
  readonly #request: Request;

  constructor(request: Request) {
    this.method = request.method;
    this.#request = request;
  }

  get url(): string {
    const { pathname, search } = new URL(this.#request.url, 'http://localhost');
    return pathname + search;
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? undefined;
  }

  rawBody(): BodyReader {
    if (this.#request.bodyUsed || this.#request.body?.locked) throw new RawBodyUnavailableError(FIX);
    return readerOf(this.#request.body);
  }
}

function readerOf(body: ReadableStream<Uint8Array> | null): BodyReader {
  return async ({ maxBodyBytes, timeoutMs, arrival }) => {
    const collector = new Collector(maxBodyBytes);
    const reader = body?.getReader();
    const late = () => incomplete(`it took more than ${timeoutMs} ms (receiveTimeoutMs)`);
    let dropped: WebhookError | undefined;
    arrival.onDrop((error) => {
      dropped = error;
      collector.clear();
      reader?.cancel().catch(() => {});
    });
    try {
      if (reader !== undefined) {
        await withDeadline(drain(reader, collector, arrival), timeoutMs, late);
      }
      if (dropped !== undefined) throw dropped;
      return collector.bytes();
    } catch (error) {
      // Not waited for: a source that hangs would hang the answer with it.
      reader?.cancel().catch(() => {});
      throw whyUnread(error);
    } finally {
      collector.clear();
    }
  };
}

/** Hosts with a limit of their own fail the stream with their error for 413: SvelteKit and h3 do. */
function whyUnread(error: unknown): WebhookError {
  if (isWebhookError(error)) return error;
  return Object(error).status === 413 ? hostLimit(error) : incomplete('the stream failed', error);
}

async function drain(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  collector: Collector,
  arrival: Arrival,
): Promise<void> {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    collector.add(value);
    arrival.received(value.byteLength);
  }
}
