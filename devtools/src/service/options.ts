import type { Logger } from 'event-webhook-receiver';
import { type HeaderNames, serviceHeaders } from 'event-webhook-receiver/verify';
import { checkFunction, checkNumber, checkOptions, MAX_TIMER_MS, optionError } from '../check-options.js';
import type { LocalDelivery } from './delivery.js';
import type { RetryOptions } from './retry.js';

/** Options of `createLocalService`. */
export interface LocalServiceOptions {
  /** The port of the API. (Default: a free port.) */
  readonly port?: number | undefined;
  /** The address to bind to. Any address other than loopback logs a warning. (Default: `127.0.0.1`.) */
  readonly host?: string | undefined;
  /** The API keys to accept. (Default: one random key, in `service.apiKeys`; kept in `file`.) */
  readonly apiKeys?: readonly string[] | undefined;
  /**
   * A SQLite file that keeps webhooks, secrets and deliveries when the process ends, even by SIGKILL. Only its owner can
   * read it, and one service at a time can use it. A file that belongs to another user or has a second hard link is
   * refused. (Default: memory.)
   */
  readonly file?: string | undefined;
  /** Names of the two signature headers. (Default: `serviceHeaders`.) */
  readonly headers?: HeaderNames | undefined;
  /** How failed deliveries are retried. */
  readonly retries?: RetryOptions | undefined;
  /** Time limit of an attempt, response included, in milliseconds. (Default: 30 000.) */
  readonly timeoutMs?: number | undefined;
  /** Whether every API response about a webhook contains its secret, as in the live API. (Default: false: only at creation, as specified.) */
  readonly secretInRecords?: boolean | undefined;
  /** A logger with pino's methods; `console` works. No secret, key or body is logged. */
  readonly logger?: Logger | undefined;
  /** The clock, in Unix milliseconds. (Default: `Date.now`.) */
  readonly now?: (() => number) | undefined;
  /** Called at every change of a delivery: sent, answered, to be retried, given up. Its result is not awaited. */
  readonly onDelivery?: ((delivery: LocalDelivery) => unknown) | undefined;
  /** Called when webhooks, faults or `queues()` may have changed. Its result is not awaited. */
  readonly onChange?: (() => unknown) | undefined;
}

const OPTION_NAMES: readonly (keyof LocalServiceOptions)[] = [
  ...(['port', 'host', 'apiKeys', 'file', 'headers', 'retries', 'timeoutMs', 'secretInRecords'] as const),
  ...(['logger', 'now', 'onDelivery', 'onChange'] as const),
];

/** The options with their defaults. */
export type ResolvedOptions = ReturnType<typeof resolveOptions>;

/** Checks the options and fills in the defaults. Throws ConfigError. */
export function resolveOptions(options: LocalServiceOptions) {
  checkOptions('createLocalService', options, OPTION_NAMES);
  const { port = 0, host = '127.0.0.1', apiKeys, file, headers = serviceHeaders } = options;
  const { retries = {}, timeoutMs = 30_000, secretInRecords = false, logger } = options;
  const { now = Date.now, onDelivery, onChange } = options;
  checkOptions('retries', retries, ['attempts', 'initialDelayMs', 'maxDelayMs']);
  const { attempts = 8, initialDelayMs = 1000, maxDelayMs = 60_000 } = retries;
  checkNumber('port', port, 0, 65_535);
  checkNumber('timeoutMs', timeoutMs, 1, MAX_TIMER_MS);
  checkNumber('retries.attempts', attempts, 1, 1000);
  checkNumber('retries.initialDelayMs', initialDelayMs, 0, MAX_TIMER_MS);
  checkNumber('retries.maxDelayMs', maxDelayMs, 0, MAX_TIMER_MS);
  checkText({ host, file });
  for (const [name, value] of Object.entries({ now, onDelivery, onChange })) {
    if (value !== undefined) checkFunction(name, value);
  }
  if (apiKeys !== undefined && !(Array.isArray(apiKeys) && apiKeys.length > 0 && apiKeys.every(isKey))) {
    throw optionError('apiKeys', 'a list of one or more keys of visible ASCII characters without spaces', apiKeys);
  }
  if (typeof secretInRecords !== 'boolean') throw optionError('secretInRecords', 'true or false', secretInRecords);
  if (!areHeaderNames(headers))
    throw optionError('headers', 'the names of two headers, as in `serviceHeaders`', headers);
  return {
    ...{ port, host, apiKeys, file, headers, timeoutMs, secretInRecords, logger, now },
    ...{ onDelivery, onChange, retries: { attempts, initialDelayMs, maxDelayMs } },
  };
}

function checkText(options: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && (typeof value !== 'string' || value === '')) {
      throw optionError(name, 'a non-empty string', value);
    }
  }
}

/** Whether an Authorization header can carry it. */
function isKey(key: unknown): boolean {
  return typeof key === 'string' && /^[\x21-\x7e]+$/.test(key);
}

function areHeaderNames(headers: unknown): headers is HeaderNames {
  const { signature, timestamp } = Object(headers) as Record<string, unknown>;
  const areTexts = [signature, timestamp].every((name) => typeof name === 'string' && /^[\w-]+$/.test(name));
  return areTexts && String(signature).toLowerCase() !== String(timestamp).toLowerCase();
}
