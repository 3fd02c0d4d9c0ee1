import { isWebhookError, RawBodyUnavailableError, WebhookError } from '../errors.js';
import type { RemainingMs } from '../handle/host-time.js';
import { readBody } from '../receive/read-body.js';
import { type BodyReader, type DeliveryRequest, headerText, incomplete } from '../receive/request.js';

const FIX =
  'Call the handler before anything reads the body (context.req.json() in Hono, readBody(event) in h3 and Nitro, ' +
  'request.json() elsewhere), or have the earlier reader use request.clone().';

/** Presents a web-standard request. A class: an object literal with a getter gets a new shape, and garbage, each time. */
export class FetchDelivery implements DeliveryRequest {
  readonly remainingMs: RemainingMs | undefined;
  readonly #request: Request;

  // Reads nothing of the request: a getter of a host that throws is an error of the delivery.
  constructor(request: Request, remainingMs?: RemainingMs) {
    this.remainingMs = remainingMs;
    this.#request = request;
  }

  get method(): string {
    return this.#request.method;
  }

  get url(): string | undefined {
    try {
      const { pathname, search } = new URL(this.#request.url, 'http://localhost');
      return pathname + search;
    } catch {
      return undefined;
    }
  }

  header(name: string): string | undefined {
    return headerText(this.#request.headers.get(name));
  }

  rawBody(): BodyReader {
    const { bodyUsed, body } = this.#request;
    const isUnreadable = body != null && typeof body.getReader !== 'function';
    if (bodyUsed || body?.locked || isUnreadable) throw new RawBodyUnavailableError(FIX);
    return readerOf(body);
  }
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
    return (hasFailed) => {
      // Not awaited: a hanging source would delay the answer.
      if (hasFailed) reader?.cancel().catch(() => {});
    };
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
