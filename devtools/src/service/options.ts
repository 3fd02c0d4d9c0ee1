import type { Logger } from 'event-webhook-receiver';
import { ConfigError } from 'event-webhook-receiver';
import { type HeaderNames, serviceHeaders } from 'event-webhook-receiver/verify';
import { checkNumber, MAX_TIMER_MS } from './check-number.js';
import type { LocalDelivery } from './delivery.js';
import type { RetryOptions } from './retry.js';

/** Options of `createLocalService`. */
export interface LocalServiceOptions {
  /** The port that the API listens on. (Default: a free one.) */
  readonly port?: number | undefined;
  /** The address that it binds to. Whatever is no loopback address is warned of. (Default: `127.0.0.1`.) */
  readonly host?: string | undefined;
  /** Keys that calls of the API may carry. (Default: a random one, in `service.apiKeys`; a `file` remembers it.) */
  readonly apiKeys?: readonly string[] | undefined;
  /**
   * A journal that keeps webhooks, secrets and deliveries over a restart, and over a kill half way; readable for its owner
   * alone, and for one service at a time. A file of another user, or with a second hard link, is refused. (Default: memory.)
   */
  readonly file?: string | undefined;
  /** Names of the two signature headers. (Default: `serviceHeaders`.) */
  readonly headers?: HeaderNames | undefined;
  /** The most events that go out in one delivery; of large ones it has fewer: 2 Mi characters. (Default: 100.) */
  readonly maxBatch?: number | undefined;
  /** How what fails is tried again. */
  readonly retries?: RetryOptions | undefined;
  /** How long an attempt may take, with all of its answer, in milliseconds. (Default: 30 000.) */
  readonly timeoutMs?: number | undefined;
  /** Whether records of the API hold the secret, as those of the live API do. (Default: only at creation, as specified.) */
  readonly secretInRecords?: boolean | undefined;
  /** Logs in pino's shape (`console` will do). No secret, key or body is in it. */
  readonly logger?: Logger | undefined;
  /** The clock, in Unix milliseconds. (Default: `Date.now`.) */
  readonly now?: (() => number) | undefined;
  /** Chance, from 0 to 1, for the waits between retries. (Default: `Math.random`.) */
  readonly random?: (() => number) | undefined;
  /** Told at every change of a delivery: sent, answered and when it is tried again, given up. Not waited for. */
  readonly onDelivery?: ((delivery: LocalDelivery) => unknown) | undefined;
  /** Told when webhooks or faults have changed. Not waited for. */
  readonly onChange?: (() => unknown) | undefined;
}

/** The options with their defaults. */
export type ResolvedOptions = ReturnType<typeof resolveOptions>;

/** What a header's name may be made of. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** The options with their defaults. Throws ConfigError for whatever could only fail later. */
export function resolveOptions(options: LocalServiceOptions) {
  if (typeof options !== 'object' || options === null) throw new ConfigError('createLocalService needs an object.');
  const { port = 0, host = '127.0.0.1', apiKeys, file, headers = serviceHeaders, maxBatch = 100 } = options;
  const { retries = {}, timeoutMs = 30_000, secretInRecords = false, logger } = options;
  const { now = Date.now, random = Math.random, onDelivery, onChange } = options;
  const { attempts = 8, initialDelayMs = 1000, maxDelayMs = 60_000 } = retries;
  checkNumber('port', port, 0, 65_535);
  checkNumber('maxBatch', maxBatch, 1);
  checkNumber('timeoutMs', timeoutMs, 1, MAX_TIMER_MS);
  checkNumber('retries.attempts', attempts, 1, 1000);
  checkNumber('retries.initialDelayMs', initialDelayMs, 0, MAX_TIMER_MS);
  checkNumber('retries.maxDelayMs', maxDelayMs, 0, MAX_TIMER_MS);
  checkText({ host, file });
  for (const [name, value] of Object.entries({ now, random, onDelivery, onChange })) {
    if (value !== undefined && typeof value !== 'function') throw new ConfigError(`Option ${name} must be a function.`);
  }
  if (apiKeys !== undefined && !(Array.isArray(apiKeys) && apiKeys.length > 0 && apiKeys.every(isKey))) {
    throw new ConfigError('Option apiKeys must be a list of one or more keys: visible ASCII, without spaces.');
  }
  const names = [headers.signature, headers.timestamp];
  if (!names.every((name) => typeof name === 'string' && TOKEN.test(name)) || sameHeader(headers)) {
    throw new ConfigError('Option headers must name two headers, as serviceHeaders does.');
  }
  return {
    ...{ port, host, apiKeys, file, headers, maxBatch, timeoutMs, secretInRecords, logger, now, random },
    ...{ onDelivery, onChange, retries: { attempts, initialDelayMs, maxDelayMs } },
  };
}

function checkText(options: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && (typeof value !== 'string' || value === '')) {
      throw new ConfigError(`Option ${name} must be text that is not empty.`);
    }
  }
}

/** What an Authorization header can carry. */
function isKey(key: unknown): boolean {
  return typeof key === 'string' && /^[\x21-\x7e]+$/.test(key);
}

function sameHeader({ signature, timestamp }: HeaderNames): boolean {
  return signature.toLowerCase() === timestamp.toLowerCase();
}
