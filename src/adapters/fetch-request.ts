import { ConfigError, isWebhookError, RawBodyUnavailableError, WebhookError } from '../errors.js';
import { typeName } from '../internal/check-options.js';
import { readBody } from '../receive/read-body.js';
import { type BodyReader, type DeliveryRequest, incomplete, pathOf } from '../receive/request.js';

const FIX =
  'Call the handler before anything reads the body (context.req.json() in Hono, readBody(event) in h3 and Nitro, ' +
  'request.json() elsewhere), or have the earlier reader use request.clone().';

/** What handlers of Fetch get: a Request, or the context of a framework that holds it. */
export type RequestOrContext =
  | Request
  /** SvelteKit, Astro, React Router, Pages Functions. */
  | { readonly request: Request }
  /** Hono has it in `req.raw`, h3 in `req`. */
  | { readonly req: Request | { readonly raw: Request } };

/** Presents a web-standard request. Throws ConfigError for what holds none. */
export function fromFetchRequest(
  given: RequestOrContext,
  waitUntil?: DeliveryRequest['waitUntil'],
  remainingMs?: DeliveryRequest['remainingMs'],
): DeliveryRequest {
  const { request: inContext, req } = Object(given);
  const request: unknown = [given, inContext, req, Object(req).raw].find(isRequest);
  if (!isRequest(request)) {
    throw new ConfigError(
      `A handler of Fetch takes a Request, got ${typeName(given)}. Pass the Request: in most frameworks it is \`context.request\` or \`context.req.raw\`.`,
    );
  }
  return {
    waitUntil,
    remainingMs,
    method: request.method,
    // Hosts serialize it when it is read, and few need it.
    get url() {
      return pathOf(request.url)?.split('#', 1)[0];
    },
    header: (name) => request.headers.get(name),
    rawBody() {
      const { bodyUsed, body } = request;
      const isUnreadable = body != null && typeof body.getReader !== 'function';
      if (bodyUsed || body?.locked || isUnreadable) throw new RawBodyUnavailableError(FIX);
      return readerOf(body);
    },
  };
}

/** Requests of other realms and of polyfills are no instances, and events of h3 have headers of this form, too. */
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
  if (isWebhookError(error)) return error;
  if (Object(error).status !== 413) return incomplete('the stream failed', error);
  return new WebhookError(
    'ERR_WEBHOOK_BODY_TOO_LARGE',
    'The body is larger than the host in front of the receiver allows: raise its limit (BODY_SIZE_LIMIT of SvelteKit, bodyLimit of h3) above maxBodyBytes.',
    { cause: error },
  );
}
