import type { HTTPError } from 'ky';
import { isWebhookError } from '../errors.js';
import type { resolveClientOptions } from './options.js';
import { readBounded, retryAfterMs } from './response.js';
import { oneLine, WebhookApiError } from './webhook-api-error.js';

/** A call of the API. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path after `/api/v0`. */
  readonly path: string;
  readonly query?: Record<string, string | number> | undefined;
  readonly body?: unknown;
}

/** An answer of any status except a redirect. */
export interface Answer {
  readonly to: string;
  readonly status: number;
  readonly body: Uint8Array;
  /** Removes the API key and unprintable characters from a service's text. */
  printable(text: unknown): string;
}

/** Makes a call and resolves to its last answer. Rejects without an answer. */
export type Transport = (call: Call) => Promise<Answer>;

/** Far above any page of webhooks or log entries. */
const MAX_ANSWER_BYTES = 10 * 1024 * 1024;
/** Statuses that may be temporary; of these, the ones whose Retry-After is honoured. */
const TEMPORARY = [408, 429, 500, 502, 503, 504];
const WITH_RETRY_AFTER = [429, 503];
const FIRST_PAUSE_MS = 300;
const LONGEST_PAUSE_MS = 10_000;

export function createTransport(options: ReturnType<typeof resolveClientOptions>): Transport {
  const { api, timeoutMs, maxRetryAfterMs, random } = options;

  function mayRetry({ response: { status, headers } }: HTTPError): boolean | undefined {
    const after = WITH_RETRY_AFTER.includes(status) ? retryAfterMs(headers.get('retry-after')) : undefined;
    if (!TEMPORARY.includes(status)) return false;
    // ky: true uses the backoff, undefined the header.
    if (after === undefined) return true;
    return after <= maxRetryAfterMs ? undefined : false;
  }

  return async ({ method, path, query, body }) => {
    // Imported late, because ky makes Node load fetch, which takes longer than everything else here.
    const { ky, isHTTPError, isTimeoutError } = await import('./ky.js');
    const to = `${method} ${path}`;
    const inDoubt = method === 'POST' ? ' It may have taken effect: check before you retry.' : '';
    let key = '';
    let attempts = 0;
    let last: Answer | undefined;
    const printable = (text: unknown) => oneLine(text, key);
    const refuse = (status: number, why: string) =>
      new WebhookApiError('ERR_WEBHOOK_API', `${to}: ${why}${inDoubt}`, { status });

    async function attempt(request: Request): Promise<Response> {
      attempts++;
      key = await options.apiKey();
      // This attempt has timed out.
      request.signal.throwIfAborted();
      // Not in ky's options, because its errors contain them.
      request.headers.set('Authorization', `Bearer ${key}`);
      const response = await options.fetch(request);
      const { status } = response;
      if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
        response.body?.cancel().catch(() => {});
        throw refuse(
          status || 302,
          'the service answered with a redirect, which is not followed, as that would send the API key elsewhere. Set baseUrl to the URL of the API.',
        );
      }
      const bytes = await readBounded(response, MAX_ANSWER_BYTES);
      if (bytes === undefined) {
        throw refuse(
          status,
          `the answer is longer than ${MAX_ANSWER_BYTES} bytes. Ask for smaller pages, or check baseUrl.`,
        );
      }
      if (!(status >= 200 && status < 600))
        throw refuse(status, 'the answer has no valid HTTP status. Check baseUrl and the fetch function.');
      const retryAfter = response.headers.get('retry-after');
      // A late attempt must not replace the answer of its successor.
      if (!request.signal.aborted) last = { to, status, body: bytes, printable };
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
          statusCodes: TEMPORARY,
          afterStatusCodes: WITH_RETRY_AFTER,
          maxRetryAfter: maxRetryAfterMs,
          backoffLimit: LONGEST_PAUSE_MS,
          delay: (count) => FIRST_PAUSE_MS * 2 ** (count - 1),
          jitter: (pause) => pause * random(),
          shouldRetry: ({ error }) => (isHTTPError(error) ? mayRetry(error) : !isWebhookError(error)),
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
          : `no answer (${printable(reasonOf(rootOf(error)))})`;
        const doubt = NOT_SENT.test(codeOf(rootOf(error))) ? '' : inDoubt;
        throw new WebhookApiError('ERR_WEBHOOK_API_UNREACHABLE', `${to}: ${why}${tried}.${doubt}`);
      }
    }
    if (last === undefined) throw new WebhookApiError('ERR_WEBHOOK_API_UNREACHABLE', `${to}: no answer.${inDoubt}`);
    // An earlier attempt removed it, and its answer was lost.
    if (method === 'DELETE' && attempts > 1 && last.status === 404)
      return { ...last, status: 204, body: new Uint8Array() };
    return last;
  };
}

/** Error codes of connections that were not established. */
const NOT_SENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EPROTO|UND_ERR_CONNECT_TIMEOUT|ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)|UNABLE_TO_\w+)$|CERT/;

function rootOf(error: unknown): unknown {
  let at = error;
  for (let depth = 0; depth < 5 && at instanceof Error && at.cause instanceof Error; depth++) at = at.cause;
  return at;
}

const codeOf = (error: unknown) => String((Object(error) as { code?: unknown }).code);

/**
 * Why fetch failed, by its root cause. The error is not passed on, because a custom `fetch` may put the request into
 * it.
 */
function reasonOf(root: unknown): unknown {
  if (!(root instanceof Error)) return 'the fetch function failed';
  const { code } = root as { code?: unknown };
  return root.message || code || root.name;
}
