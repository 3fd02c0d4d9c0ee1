import { ConfigError, isWebhookError, WebhookError } from '../errors.js';
import { checkNumber, MAX_TIMER_MS } from '../internal/check-options.js';
import { apiAddress } from './addresses.js';

/** Options of `createWebhookClient`. */
export interface WebhookClientOptions {
  /** Where the service is, with or without `/api/v0`: an `https:` URL, or `http:` on this machine. */
  readonly baseUrl: string;
  /** The API key, or a function that gives it, called for each attempt: let it cache. */
  readonly apiKey: string | (() => string | Promise<string>);
  /** How long one attempt may take, to the last byte of its answer, in ms. (Default: 10 000.) */
  readonly timeoutMs?: number | undefined;
  /** How often a GET, PUT or DELETE is tried again after a failure that may pass. A POST never is. (Default: 2.) */
  readonly retries?: number | undefined;
  /** The longest that `Retry-After` is waited for, in seconds; a service that asks for more is not asked again. (Default: 30.) */
  readonly maxRetryAfterSeconds?: number | undefined;
  /** Sends the requests. They are not to be redirected: `redirect` is `manual`. (Default: the global `fetch`.) */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** A number from 0 to 1 that spreads the pauses between attempts. (Default: `Math.random`.) */
  readonly random?: (() => number) | undefined;
}

/** What a header can hold; anything else would make `fetch` quote the key in its error. */
const KEY = /^[\x21-\x7e]+$/;

function checkKey(key: unknown): string {
  if (typeof key === 'string' && KEY.test(key)) return key;
  throw new ConfigError(
    key
      ? 'Option apiKey holds white space or no ASCII text: trim it.'
      : 'Option apiKey is empty. Is the environment variable set?',
  );
}

async function ask(apiKey: () => string | Promise<string>): Promise<string> {
  try {
    return checkKey(await apiKey());
  } catch (cause) {
    if (isWebhookError(cause)) throw cause;
    throw new WebhookError('ERR_WEBHOOK_CONFIG', 'The apiKey function failed.', { cause });
  }
}

/** The options with their defaults. Throws ConfigError for whatever could only fail later. */
export function resolveClientOptions(options: WebhookClientOptions) {
  if (typeof options !== 'object' || options === null) throw new ConfigError('Options are missing.');
  const { baseUrl, apiKey, timeoutMs = 10_000, retries = 2, maxRetryAfterSeconds = 30, random = Math.random } = options;
  const { fetch: send = (request: Request) => fetch(request) } = options;
  if (typeof apiKey !== 'function') checkKey(apiKey);
  checkNumber('timeoutMs', timeoutMs, 1, MAX_TIMER_MS);
  checkNumber('retries', retries, 0, 100);
  checkNumber('maxRetryAfterSeconds', maxRetryAfterSeconds, 0, MAX_TIMER_MS / 1000);
  if (typeof send !== 'function' || typeof random !== 'function') {
    throw new ConfigError('Options fetch and random must be functions.');
  }
  return {
    api: apiAddress(baseUrl),
    /** Gives the key, at each attempt. */
    apiKey: typeof apiKey === 'function' ? () => ask(apiKey) : async () => apiKey,
    timeoutMs,
    retries,
    maxRetryAfterMs: maxRetryAfterSeconds * 1000,
    fetch: send,
    random,
  };
}
