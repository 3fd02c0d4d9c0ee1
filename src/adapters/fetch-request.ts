import { ConfigError, isWebhookError, RawBodyUnavailableError, WebhookError } from '../errors.js';
import type { HostGrants } from '../handle/host-time.js';
import { typeName } from '../internal/check-options.js';
import { type BodyReader, type DeliveryRequest, incomplete, pathOf, readBody } from '../receive/request.js';

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
 * Wraps a web-standard request. Reads it lazily, so that a throwing getter of the host is reported as an error of the
 * delivery.
 */
export function fromFetchRequest(given: RequestOrContext, grants: HostGrants = {}): DeliveryRequest {
  let found: Request | undefined;
  const request = () => {
    found ??= requestIn(given);
    return found;
  };
  return {
    ...grants,
    get method() {
      return request().method;
    },
    get url() {
      try {
        return pathOf(request().url)?.split('#', 1)[0];
      } catch {
        return undefined;
      }
    },
    header: (name) => request().headers.get(name),
    rawBody: () => readerOf(bodyOf(request())),
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

/** Some frameworks pass a context instead of the Request. Throws ConfigError if it does not contain one. */
function requestIn(given: unknown): Request {
  if (isRequest(given)) return given;
  const { request, req, requestContext, on } = Object(given);
  for (const each of [request, req, Object(req).raw]) if (isRequest(each)) return each;
  let got = `${typeName(given)}. Pass the Request: in most frameworks it is \`context.request\` or \`context.req.raw\``;
  if (typeof on === 'function') got = 'a request of Node.js: use nodeHandler or expressHandler';
  else if (requestContext !== undefined) got = 'an event of AWS Lambda: use lambdaHandler';
  throw new ConfigError(`A handler of Fetch takes a Request, got ${got}.`);
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
  if (isWebhookError(error)) return error;
  if (Object(error).status !== 413) return incomplete('the stream failed', error);
  return new WebhookError(
    'ERR_WEBHOOK_BODY_TOO_LARGE',
    'The body is larger than the host in front of the receiver allows: raise its limit (BODY_SIZE_LIMIT of SvelteKit, bodyLimit of h3) above maxBodyBytes.',
    { cause: error },
  );
}
