import { channel } from '#runtime';
import { ConfigError } from '../../errors.js';
import { MAX_TIMER_MS } from '../../internal/check-options.js';
import type { Logger } from '../../internal/logger.js';
import { pause } from '../rpc.js';
import { checkKey, type FeedOptions, feed, type KeyedEntry, keyed, type Result, whyTooOld } from './feed.js';
import { isPosition, type Progress } from './progress.js';
import { asError, type ReconcileReport, Stop, Tally } from './report.js';
import type { OpenSource, ReconcileSource, SourceChunk } from './source.js';

export interface ReconciliationOptions extends FeedOptions {
  readonly source: ReconcileSource;
  readonly retryDelayMs: number;
  readonly signal: AbortSignal;
  readonly logger: Logger;
  readonly onProgress: (report: ReconcileReport) => unknown;
}

/** Number of events per delivery to the receiver. */
const BATCH = 100;
/** Maximum number of failed events in the cursor: keeps its text within the size limits of stores. */
const MOST_RETRIES = 1000;
/** Consecutive failures of the source that end a run. */
const MOST_FAILURES = 6;
const LONGEST_DELAY_MS = 60_000;
/** The longest pause that a run honours. A longer one ends the run. */
const LONGEST_PAUSE_MS = 300_000;

/** One run of `reconcile`. */
export class Reconciliation {
  readonly #tally = new Tally();
  #from: number;
  #opened: OpenSource | undefined;

  constructor(
    private readonly options: ReconciliationOptions,
    private readonly progress: Progress,
  ) {
    this.#from = progress.next;
  }

  /** Runs once, and publishes the report. Rejects only with ConfigError. */
  async run(): Promise<ReconcileReport> {
    const { handle } = this.options;
    let thrown: unknown;
    try {
      await this.#readAll();
    } catch (error) {
      thrown = error;
    }
    let stop = thrown === undefined || thrown instanceof Stop ? thrown : new Stop('config', asError(thrown));
    if (stop?.reason !== 'superseded' && stop?.reason !== 'cursor') {
      await this.#write(false).catch((error: Stop) => {
        stop = error;
      });
    }
    const report = this.#report(stop && { reason: stop.reason, error: stop.error });
    if (handle) channel('event-webhook-receiver:reconcile').publish(report);
    if (thrown !== undefined && !(thrown instanceof Stop)) throw thrown;
    return report;
  }

  #report(stopped?: ReconcileReport['stopped']): ReconcileReport {
    const { source } = this.options;
    const { retries } = this.progress;
    const { end, head } = this.#opened ?? {};
    // The next run does not know about results since the last write.
    const isLost = stopped?.reason === 'superseded' || stopped?.reason === 'cursor';
    const next = isLost ? this.progress.stored : this.progress.next;
    return {
      source: source.name,
      // Set even if the source could not be opened, so that the metrics stay in the same series.
      chainId: this.#opened ? this.#opened.chainId : (source.chainId ?? this.progress.chainId),
      from: this.#from,
      to: next - 1,
      final: end,
      head,
      ...this.#tally.counts,
      left: retries.size,
      entries: [...this.#tally.entries],
      unproven: this.#tally.unproven,
      stopped,
    };
  }

  /** Reads the cursor, retries what failed before, then reads on up to the last final position. Throws Stop or ConfigError. */
  async #readAll(): Promise<void> {
    const { signal, retryDelayMs, logger, source } = this.options;
    const { progress } = this;
    await progress.read();
    this.#from = progress.next;
    const due = [...new Set(progress.retries.values())].filter((position) => position < this.#from);
    due.sort((one, other) => one - other);
    for (let failures = 0; ; ) {
      try {
        const opened = await this.#open();
        const { end } = opened;
        if (progress.next > end + 1) {
          logger.warn(
            { end, position: progress.next },
            `The source \`${source.name}\` ends at position ${end}, but position ${progress.next} is next. Nothing is read until the source reaches it.`,
          );
        }
        // A lagging node may not have a block that was final before.
        for (let at = due.shift(); at !== undefined; at = due.shift()) if (at <= end) await this.#tryAgain(at, opened);
        if (progress.next <= end) {
          for await (const chunk of opened.read(progress.next, end)) {
            await this.#take(chunk, end);
            failures = 0;
          }
        }
        if (progress.next <= end) throw new Error(`The source \`${source.name}\` ended before position ${end}.`);
        return;
      } catch (error) {
        this.#rethrow(error);
        const delayMs = delayAfter(error, failures + 1, retryDelayMs);
        if (++failures >= MOST_FAILURES || delayMs > LONGEST_PAUSE_MS) throw new Stop('source', asError(error));
        const { message } = asError(error);
        logger.warn({ err: error, delayMs, position: progress.next }, `${message} Reading again in ${delayMs} ms.`);
        await pause(delayMs, signal);
        if (signal.aborted) throw new Stop('aborted');
      }
    }
  }

  /** Rethrows errors that end the run. A failure of the source is retried. */
  #rethrow(error: unknown): void {
    if (error instanceof Stop || error instanceof ConfigError) throw error;
    if (this.options.signal.aborted) throw new Stop('aborted');
  }

  async #open(): Promise<OpenSource> {
    const { source, signal } = this.options;
    const opened = await source.open({ signal });
    this.progress.checkChain(opened.chainId);
    this.#opened = opened;
    return opened;
  }

  /** Retries a position. If the source cannot read it, it stays on the list and does not hold up the others. */
  async #tryAgain(position: number, opened: OpenSource): Promise<void> {
    try {
      await this.#retry(position, opened);
    } catch (error) {
      this.#rethrow(error);
      const { message } = asError(error);
      for (const [idempotencyKey] of [...this.progress.retries].filter(([, at]) => at === position)) {
        this.options.logger.warn({ err: error, idempotencyKey, position }, `${message} It stays on the retry list.`);
        this.#tally.count('failed');
      }
      // Fails if the source is away, which ends the retries.
      await this.#open();
    }
  }

  /** Reads a position again, for its events on the retry list. */
  async #retry(position: number, opened: OpenSource): Promise<void> {
    const { receiver, logger } = this.options;
    const { retries } = this.progress;
    const wanted = new Set([...retries].filter(([, at]) => at === position).map(([key]) => key));
    const hashes: string[] = [];
    for await (const chunk of opened.read(position, position)) {
      hashes.push(...(chunk.blockHashes ?? []));
      const found = keyed(chunk, receiver).filter(({ key }) => wanted.has(key));
      for (const { key } of found) wanted.delete(key);
      const tooOld = found.length > 0 && whyTooOld(chunk, this.options);
      if (tooOld) for (const entry of found) this.#settle(entry, { status: 'failed', error: tooOld });
      else await this.#feed(found);
    }
    for (const idempotencyKey of wanted) {
      // A final block never loses a log: the node omitted it.
      const isHidden = hashes.some((hash) => idempotencyKey.includes(hash));
      const why = isHidden ? 'The node left out a log that it had before' : 'The source no longer has an event';
      logger.warn(
        { idempotencyKey, position },
        `${why}. ${isHidden ? 'It stays on' : 'It is removed from'} the retry list.`,
      );
      this.#tally.count(isHidden ? 'failed' : 'dropped');
      if (!isHidden && this.options.handle) retries.delete(idempotencyKey);
    }
    await this.#write(true);
  }

  async #take(chunk: SourceChunk, end: number): Promise<void> {
    const { receiver, onProgress, source } = this.options;
    const { progress } = this;
    if (!isInOrder(chunk, progress.next, end)) {
      throw new ConfigError(
        `The source \`${source.name}\` returned a chunk that is not in ascending order without gaps.`,
      );
    }
    for (const position of chunk.unproven ?? []) this.#tally.addUnproven(position);
    const entries = keyed(chunk, receiver);
    for (let at = 0; at < entries.length; at += BATCH) {
      const tooOld = whyTooOld(chunk, this.options);
      if (tooOld) throw tooOld;
      await this.#feed(entries.slice(at, at + BATCH));
      // Two batches may share a position.
      progress.next = entries[at + BATCH]?.position ?? chunk.to + 1;
      await this.#write(true);
    }
    progress.next = chunk.to + 1;
    await this.#write(true);
    onProgress(this.#report());
  }

  async #feed(batch: readonly KeyedEntry[]): Promise<void> {
    const { signal, handle } = this.options;
    const { retries } = this.progress;
    if (signal.aborted) throw new Stop('aborted');
    if (batch.length === 0) return;
    for (const entry of batch) checkKey(entry, this.#opened?.chainId);
    const { results, busy } = await feed(batch, this.options);
    const failed: KeyedEntry[] = [];
    for (const [at, result] of results.entries()) {
      const entry = batch[at] as KeyedEntry;
      this.#settle(entry, result);
      if (result.status === 'waiting' || result.status === 'failed') failed.push(entry);
      else if (handle) retries.delete(entry.key);
    }
    if (busy) throw new Stop('busy', busy);
    if (!handle) return;
    const added = failed.filter(({ key }) => !retries.has(key)).length;
    if (retries.size + added > MOST_RETRIES) throw new Stop('retry-list-full');
    for (const { key, position } of failed) retries.set(key, position);
  }

  #settle({ position, key: idempotencyKey, event }: KeyedEntry, { status, error }: Result): void {
    this.#tally.count(status);
    if (status !== 'missing' && status !== 'waiting' && status !== 'failed') return;
    this.#tally.add({ position, idempotencyKey, status, event, error });
    const message = `An event at position ${position} has not taken effect: ${status}.`;
    if (status !== 'missing') this.options.logger.warn({ err: error, idempotencyKey, position }, message);
  }

  async #write(isDue: boolean): Promise<void> {
    if (this.options.handle) await this.progress.write(isDue);
  }
}

function isInOrder({ to, entries }: SourceChunk, next: number, end: number): boolean {
  let least = next;
  for (const { position } of entries) {
    if (!isPosition(position) || position < least) return false;
    least = position;
  }
  return isPosition(to) && to >= least && to <= end;
}

function delayAfter(error: unknown, failures: number, retryDelayMs: number): number {
  const { retryAfterMs } = (error ?? {}) as { readonly retryAfterMs?: unknown };
  if (typeof retryAfterMs === 'number' && retryAfterMs >= 0) return Math.min(retryAfterMs, MAX_TIMER_MS);
  return Math.min(retryDelayMs * 2 ** (failures - 1), LONGEST_DELAY_MS);
}
