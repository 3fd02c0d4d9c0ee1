import { ConfigError, isWebhookError, WebhookError } from '../errors.js';
import { checkFunction, checkNumber, checkOptions, MAX_TIMER_MS, optionError } from '../internal/check-options.js';
import { apiAddress } from './addresses.js';

/** Options of `createWebhookClient`. */
export interface WebhookClientOptions {
  /** URL of the service, with or without `/api/v0`: `https:`, or `http:` for a loopback host. */
  readonly baseUrl: string;
  /** API key, or a function that returns it. The function is called for each attempt: cache in it. */
  readonly apiKey: string | (() => string | Promise<string>);
  /** Time limit for one attempt, to the last byte of its answer, in ms. (Default: 10 000.) */
  readonly timeoutMs?: number | undefined;
  /** How often a GET, PUT or DELETE is retried after a temporary failure. A POST is never retried. (Default: 2.) */
  readonly retries?: number | undefined;
  /** Longest `Retry-After` to wait for, in seconds; a longer one ends the retries. (Default: 30.) */
  readonly maxRetryAfterSeconds?: number | undefined;
  /** Sends the requests. It must not follow redirects: `redirect` is `manual`. (Default: the global `fetch`.) */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** Returns a number from 0 to 1 that randomizes the pauses between attempts. (Default: `Math.random`.) */
  readonly random?: (() => number) | undefined;
}

const OPTIONS = ['baseUrl', 'apiKey', 'timeoutMs', 'retries', 'maxRetryAfterSeconds', 'fetch', 'random'];

/** Characters that a header accepts. For others, `fetch` quotes the key in its error. */
const KEY = /^[\x21-\x7e]+$/;

function checkKey(key: unknown): string {
  if (typeof key === 'string' && KEY.test(key)) return key;
  if (typeof key !== 'string' || key === '') {
    throw optionError('apiKey', 'a non-empty string, or a function that returns one', key);
  }
  throw new ConfigError('`apiKey` must contain only printable ASCII characters without white space. Trim it.');
}

async function ask(apiKey: () => string | Promise<string>): Promise<string> {
  try {
    return checkKey(await apiKey());
  } catch (cause) {
    if (isWebhookError(cause)) throw cause;
    throw new WebhookError('ERR_WEBHOOK_CONFIG', 'The function `apiKey` failed.', { cause });
  }
}

/** Checks the options and fills in defaults. Throws ConfigError. */
export function resolveClientOptions(options: WebhookClientOptions) {
  checkOptions('createWebhookClient', options, OPTIONS);
  const { baseUrl, apiKey, timeoutMs = 10_000, retries = 2, maxRetryAfterSeconds = 30, random = Math.random } = options;
  const { fetch: send = (request: Request) => fetch(request) } = options;
  if (typeof apiKey !== 'function') checkKey(apiKey);
  checkNumber('timeoutMs', timeoutMs, 1, MAX_TIMER_MS);
  checkNumber('retries', retries, 0, 100);
  checkNumber('maxRetryAfterSeconds', maxRetryAfterSeconds, 0, MAX_TIMER_MS / 1000);
  checkFunction('fetch', send);
  checkFunction('random', random);
  return {
    api: apiAddress(baseUrl),
    /** Called for each attempt. */
    apiKey: typeof apiKey === 'function' ? () => ask(apiKey) : async () => apiKey,
    timeoutMs,
    retries,
    maxRetryAfterMs: maxRetryAfterSeconds * 1000,
    fetch: send,
    random,
  };
}
