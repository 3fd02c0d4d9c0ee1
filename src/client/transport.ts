import type { HTTPError } from 'ky';
import { isWebhookError } from '../errors.js';
import type { resolveClientOptions } from './options.js';
import { MAX_ANSWER_BYTES, readAnswer } from './read-answer.js';
import { oneLine, WebhookApiError } from './webhook-api-error.js';

/** A call of the API. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Behind `/api/v0`. */
  readonly path: string;
  readonly query?: Record<string, number> | undefined;
  readonly body?: unknown;
}

/** An answer as it came, whatever its status but no redirect. */
export interface Answer {
  /** The call that it answers, for messages. */
  readonly to: string;
  readonly status: number;
  readonly body: Uint8Array;
  readonly retryAfter: string | null;
  /** Takes the API key out of a text of the service, and what cannot be printed. */
  printable(text: unknown): string;
}

/** Makes a call and gives its last answer. Rejects when there is none. */
export type Transport = (call: Call) => Promise<Answer>;

/** What may pass; and those of them that say how long it takes. */
const PASSING = [408, 429, 500, 502, 503, 504];
const WITH_RETRY_AFTER = [429, 503];
const FIRST_PAUSE_MS = 300;
const LONGEST_PAUSE_MS = 10_000;

/** How long a Retry-After says to wait; undefined when it says nothing that can be understood. */
export function retryAfterMs(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  // Date.parse alone makes a date of `-5` too.
  const ms = header.endsWith(' GMT') ? Date.parse(header) - Date.now() : Number.NaN;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

export function createTransport(options: ReturnType<typeof resolveClientOptions>): Transport {
  const { api, timeoutMs, maxRetryAfterMs, random } = options;

  function mayPass({ response: { status, headers } }: HTTPError): boolean | undefined {
    const after = WITH_RETRY_AFTER.includes(status) ? retryAfterMs(headers.get('retry-after')) : undefined;
    if (!PASSING.includes(status)) return false;
    // What is true pauses as long as the backoff says; what is undefined, as the header says.
    if (after === undefined) return true;
    return after <= maxRetryAfterMs ? undefined : false;
  }

  return async ({ method, path, query, body }) => {
    // Only now: it looks at what fetch brings with it, which takes Node longer to load than all else here.
    const { ky, isHTTPError, isTimeoutError } = await import('../internal/ky.js');
    const to = `${method} ${path}`;
    const inDoubt = method === 'POST' ? ' It may have taken effect: look before you try again.' : '';
    let key = '';
    let attempts = 0;
    let last: Answer | undefined;
    const printable = (text: unknown) => oneLine(text, key);
    const refuse = (status: number, why: string) =>
      new WebhookApiError('ERR_WEBHOOK_API', `${to}: ${why}${inDoubt}`, { status });

    async function attempt(request: Request): Promise<Response> {
      attempts++;
      key = await options.apiKey();
      // Too late to be sent: it was given up.
      request.signal.throwIfAborted();
      // Here and not in ky's options: its errors hold those.
      request.headers.set('Authorization', `Bearer ${key}`);
      const response = await options.fetch(request);
      const { status } = response;
      if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
        response.body?.cancel().catch(() => {});
        throw refuse(
          status || 302,
          'the service answered with a redirect, which is not followed, as the API key would go along. Set baseUrl to where the API is.',
        );
      }
      const bytes = await readAnswer(response);
      if (bytes === undefined) {
        throw refuse(
          status,
          `the answer is longer than ${MAX_ANSWER_BYTES} bytes. Ask for smaller pages, or check baseUrl.`,
        );
      }
      if (!(status >= 200 && status < 600)) throw refuse(status, 'the status is none of HTTP. Check baseUrl.');
      const retryAfter = response.headers.get('retry-after');
      // An attempt that is late must not stand for one that came after it.
      if (!request.signal.aborted) last = { to, status, body: bytes, retryAfter, printable };
      return new Response(null, { status, headers: retryAfter === null ? {} : { 'retry-after': retryAfter } });
    }

    try {
      await ky(api.url + path, {
        method,
        headers: { accept: 'application/json' },
        redirect: 'manual',
        fetch: (request) => {
          last = undefined;
          return attempt(request as Request);
        },
        timeout: timeoutMs,
        retry: {
          limit: options.retries,
          methods: ['get', 'put', 'delete'],
          statusCodes: PASSING,
          afterStatusCodes: WITH_RETRY_AFTER,
          maxRetryAfter: maxRetryAfterMs,
          backoffLimit: LONGEST_PAUSE_MS,
          delay: (count) => FIRST_PAUSE_MS * 2 ** (count - 1),
          jitter: (pause) => pause * random(),
          shouldRetry: ({ error }) => (isHTTPError(error) ? mayPass(error) : !isWebhookError(error)),
        },
        ...(query && { searchParams: query }),
        ...(body !== undefined && { json: body }),
      });
    } catch (error) {
      if (isWebhookError(error)) throw error;
      if (!isHTTPError(error) || last === undefined) {
        const tried = attempts > 1 ? ` in ${attempts} attempts` : '';
        const why = isTimeoutError(error)
          ? `no answer within ${timeoutMs} ms`
          : `no answer (${printable(reasonOf(error))})`;
        throw new WebhookApiError('ERR_WEBHOOK_API_UNREACHABLE', `${to}: ${why}${tried}.${inDoubt}`);
      }
    }
    if (last === undefined) throw new WebhookApiError('ERR_WEBHOOK_API_UNREACHABLE', `${to}: no answer.${inDoubt}`);
    // Removed by an attempt whose answer was lost.
    if (method === 'DELETE' && attempts > 1 && last.status === 404)
      return { ...last, status: 204, body: new Uint8Array() };
    return last;
  };
}

/** What is at the bottom of a failed fetch. The error itself is not passed on: a `fetch` of one's own may put the request into it. */
function reasonOf(error: unknown): unknown {
  let at = error;
  for (let depth = 0; depth < 5 && at instanceof Error && at.cause instanceof Error; depth++) at = at.cause;
  if (!(at instanceof Error)) return 'the fetch function failed';
  const { code } = at as { code?: unknown };
  return at.message || code || at.name;
}
