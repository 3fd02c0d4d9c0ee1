import { ConfigError } from '../../errors.js';
import { checkFunction, checkNumber, checkOptions, MAX_TIMER_MS, optionError } from '../../internal/check-options.js';
import type { Logger } from '../../internal/logger.js';
import type { ReconcileCursor } from '../../stores/cursor.js';
import { guardedLogger } from '../logging.js';
import { type ReconcilingReceiver, rememberedSince } from './feed.js';
import { isPosition, Progress } from './progress.js';
import { Reconciliation, type ReconciliationOptions } from './reconciliation.js';
import type { ReconcileReport } from './report.js';
import type { ReconcileSource } from './source.js';

/** Options of `reconcile`. */
export interface ReconcileOptions {
  /** Where to read events: `chainSource`, `serviceSource` or your own. */
  readonly source: ReconcileSource;
  /** The receiver of your deliveries, or one with the same secret, store, key and handler. */
  readonly receiver: ReconcilingReceiver;
  /**
   * The first position to read, such as the contract's creation block. Earlier positions are never read, even if the
   * cursor is there: raise it to skip older events.
   */
  readonly from: number;
  /** Stores the progress; one cursor per source. Required unless `handle` is false. */
  readonly cursor?: ReconcileCursor | undefined;
  /**
   * `false` only reports: events are not handled, the cursor does not move, and events that have not taken effect are
   * `missing`. Needs a receiver with a store. (Default: true.)
   */
  readonly handle?: boolean | undefined;
  /**
   * The `source` that the receiver's `secret` function returns for deliveries of these events, which prefixes their keys;
   * `false` if it returns none. Required if `secret` is a function. (Default: none.)
   */
  readonly keySource?: string | false | undefined;
  /** How long the receiver's store keeps keys, in ms. (Default: the store's retention.) */
  readonly retentionMs?: number | undefined;
  /** Delay before the first retry of a failed read, in ms; doubles up to a minute. (Default: 1000.) */
  readonly retryDelayMs?: number | undefined;
  /** Ends the run, after the delivery in progress. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the current report after each chunk. Not awaited. */
  readonly onProgress?: ((report: ReconcileReport) => unknown) | undefined;
  /** Logs failures, and events that did not take effect. (Default: the console, for warnings and errors.) */
  readonly logger?: Logger | undefined;
}

const OPTIONS = 'source receiver from cursor handle keySource retentionMs retryDelayMs signal onProgress logger';

/**
 * Delivers events that never arrived: reads the source up to the last final block and passes each event to the
 * receiver, which verifies, deduplicates and handles it like a delivery. Every event takes effect exactly once, even if
 * the process is killed before it writes the cursor. It does not verify the source's data.
 *
 * A failed event does not block the others, and is retried first in the next run. A run that ends early has `stopped`
 * in its report, and the next one continues from there. It rejects only with ConfigError.
 *
 * @example
 * ```ts
 * import { type ReconcileOptions, reconcile } from 'event-webhook-receiver/chain';
 *
 * // The receiver that the deliveries go to, whose `idempotencyKey` is `logIdentity`; `chainSource`; `store.cursor`.
 * export const run = ({ receiver, source, cursor }: Omit<ReconcileOptions, 'from'>) =>
 *   reconcile({ receiver, source, cursor, from: 21_000_000 });
 * ```
 * @param options The source, the receiver, and where to start; see {@link ReconcileOptions}.
 * @returns What was found and repaired, and the last position read.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is missing, unknown or invalid; when the receiver's
 * `idempotencyKey` is not `logIdentity` of the chain; when events are older than the store's retention; and when the
 * cursor belongs to another source, chain or set of contracts.
 */
export async function reconcile(options: ReconcileOptions): Promise<ReconcileReport> {
  const settings = settingsOf(options);
  rememberedSince(settings);
  const { signal } = options;
  const ending = new AbortController();
  const abort = () => ending.abort();
  signal?.addEventListener('abort', abort);
  if (signal?.aborted) abort();
  const { source, cursor, from } = options;
  try {
    return await new Reconciliation({ ...settings, signal: ending.signal }, new Progress(cursor, source, from)).run();
  } finally {
    signal?.removeEventListener('abort', abort);
    // Ends requests that the source still has in progress.
    abort();
  }
}

function settingsOf(options: ReconcileOptions): Omit<ReconciliationOptions, 'signal'> {
  checkOptions('reconcile', options, OPTIONS.split(' '));
  const {
    source,
    receiver,
    from,
    cursor,
    handle = true,
    keySource,
    retentionMs,
    retryDelayMs = 1000,
    signal,
    onProgress,
  } = options;
  checkMethods('source', source, ['open'], 'a source such as chainSource(…)');
  checkMethods('receiver', receiver, ['idempotencyKey', 'rememberedSince', 'handleEvents', 'peek'], 'a Receiver');
  if (typeof source.name !== 'string' || source.name === '')
    throw optionError('source.name', 'a non-empty string', source.name);
  if (!isPosition(from)) throw optionError('from', 'the number of a block, or another position of the source', from);
  if (typeof handle !== 'boolean') throw optionError('handle', 'true or false', handle);
  if (cursor !== undefined) checkMethods('cursor', cursor, ['read', 'write'], 'an object with `read` and `write`');
  else if (handle)
    throw new ConfigError(
      '`reconcile` needs a `cursor` to store its progress. Only `handle: false` works without one.',
    );
  checkNumber('retryDelayMs', retryDelayMs, 1, MAX_TIMER_MS);
  if (retentionMs !== undefined) checkNumber('retentionMs', retentionMs, 1);
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw optionError('signal', 'an AbortSignal', signal);
  if (onProgress !== undefined) checkFunction('onProgress', onProgress);
  const logger = guardedLogger(options.logger);
  return {
    ...{ source, receiver, handle, keySource, retentionMs, retryDelayMs, logger },
    onProgress: (report) => {
      // An error of `onProgress` must not end the run.
      (async () => onProgress?.(report))().catch((err) => logger.error({ err }, '`onProgress` failed.'));
    },
  };
}

function checkMethods(name: string, value: unknown, methods: readonly string[], takes: string): void {
  const has = (method: string) => typeof (value as Record<string, unknown> | null | undefined)?.[method] === 'function';
  if (!methods.every(has)) throw optionError(name, takes, value);
}
