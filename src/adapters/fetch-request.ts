import { isWebhookError, RawBodyUnavailableError, WebhookError } from '../errors.js';
import { type BodyReader, type DeliveryRequest, incomplete } from '../receiver/delivery-request.js';
import type { RemainingMs } from '../receiver/host-time.js';
import { readBody } from './read-body.js';

const FIX =
  'Call the handler before anything reads the body (context.req.json() in Hono, readBody(event) in h3 and Nitro, ' +
  'request.json() elsewhere), or have the earlier reader use request.clone().';

/** Presents a web-standard request. A class: an object literal with a getter gets a new shape, and garbage, each time. */
export class FetchDelivery implements DeliveryRequest {
  readonly method: string;
  readonly remainingMs: RemainingMs | undefined;
  readonly #request: Request;

  constructor(request: Request, remainingMs?: RemainingMs) {
    this.method = request.method;
    this.remainingMs = remainingMs;
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
