import { isWebhookError, RawBodyUnavailableError, WebhookError } from '../errors.js';
import { readBody } from '../receive/read-body.js';
import { type BodyReader, type DeliveryRequest, headerText, incomplete, pathOf } from '../receive/request.js';

const FIX =
  'Call the handler before anything reads the body (context.req.json() in Hono, readBody(event) in h3 and Nitro, ' +
  'request.json() elsewhere), or have the earlier reader use request.clone().';

/** Presents a web-standard request. Reads nothing of it yet: a getter of a host that throws is an error of the delivery. */
export function fromFetchRequest(
  request: Request,
  waitUntil?: DeliveryRequest['waitUntil'],
  remainingMs?: DeliveryRequest['remainingMs'],
): DeliveryRequest {
  return {
    waitUntil,
    remainingMs,
    get method() {
      return request.method;
    },
    get url() {
      try {
        return pathOf(request.url)?.split('#', 1)[0];
      } catch {
        return undefined;
      }
    },
    header: (name) => headerText(request.headers.get(name)),
    rawBody() {
      const { bodyUsed, body } = request;
      const isUnreadable = body != null && typeof body.getReader !== 'function';
      if (bodyUsed || body?.locked || isUnreadable) throw new RawBodyUnavailableError(FIX);
      return readerOf(body);
    },
  };
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
    // Not awaited: a hanging source would delay the answer.
    return () => void reader?.cancel().catch(() => {});
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
