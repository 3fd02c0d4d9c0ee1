import { isWebhookError, RawBodyUnavailableError, WebhookError } from '../errors.js';
import type { RemainingMs } from '../handle/host-time.js';
import { readBody } from '../receive/read-body.js';
import { type BodyReader, type DeliveryRequest, headerText, incomplete } from '../receive/request.js';

const FIX =
  'Call the handler before anything reads the body (context.req.json() in Hono, readBody(event) in h3 and Nitro, ' +
  'request.json() elsewhere), or have the earlier reader use request.clone().';

/** What lets work that continues after the answer finish, such as the execution context of Workers. */
export interface Waiter {
  waitUntil(work: Promise<unknown>): unknown;
}

/**
 * Presents a web-standard request. Reads nothing of it yet: a getter of a host that throws is an error of the delivery.
 *
 * @param hosts Those that can wait for the work of the request.
 */
export function fromFetchRequest(
  request: Request,
  hosts: readonly Waiter[] = [],
  remainingMs?: RemainingMs,
): DeliveryRequest {
  return {
    remainingMs,
    waitUntil: hosts.length > 0 ? (work) => keepGoing(hosts, work) : undefined,
    get method() {
      return request.method;
    },
    get url() {
      return pathOf(request);
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

/** Has hosts wait for `work`. One whose `waitUntil` throws cannot, and the delivery is answered without it. */
export function keepGoing(hosts: readonly Waiter[], work: Promise<unknown>): void {
  for (const host of hosts) {
    try {
      host.waitUntil(work);
    } catch {
      // The answer reports everything that matters.
    }
  }
}

function pathOf(request: Request): string | undefined {
  try {
    const { pathname, search } = new URL(request.url, 'http://localhost');
    return pathname + search;
  } catch {
    return undefined;
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
