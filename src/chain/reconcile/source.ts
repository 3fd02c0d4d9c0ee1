import type { WebhookEvent } from '../../events/types.js';

/** An event and its position in the source. */
export interface SourceEntry {
  readonly position: number;
  readonly event: WebhookEvent;
}

/** All events of a source up to a position. */
export interface SourceChunk {
  /** The last position of the chunk. The next chunk starts after it. */
  readonly to: number;
  /** In ascending order of position. Several events may share a position, such as those of a block. */
  readonly entries: readonly SourceEntry[];
  /** When the oldest of the events happened, in epoch milliseconds. Required if there are entries. */
  readonly oldestAt?: number | undefined;
  /** Block hashes of the chunk, if the source reads whole blocks. */
  readonly blockHashes?: readonly string[] | undefined;
  /** Positions that may have more events, because the source cannot prove their absence. */
  readonly unproven?: readonly number[] | undefined;
}

/** A source as it is when a run begins. */
export interface OpenSource {
  /** Chain ID of its events; undefined if unknown. */
  readonly chainId: number | undefined;
  /** The last final position. -1 if there is none yet. */
  readonly end: number;
  /** The last position, final or not. (Default: unknown.) */
  readonly head?: number | undefined;
  /**
   * Reads the positions from `from` to `to`, both included and at most `end`, in ascending chunks without gaps: the last
   * chunk ends at `to`. It must throw instead of skipping an event, because a skipped event is never repaired.
   */
  read(from: number, to: number): AsyncIterable<SourceChunk>;
}

/**
 * Where `reconcile` reads events, such as `chainSource`. Positions are integers that grow with time: block numbers, or
 * ids of a log's entries.
 *
 * Every method may reject: `reconcile` tries again, after the error's `retryAfterMs` if it has one, and stops after
 * several failures in a row. A ConfigError is not retried.
 */
export interface ReconcileSource {
  /** Identifies the source in cursors, messages and metrics: the same in each process that shares the cursor. */
  readonly name: string;
  /**
   * What it reads, such as its contracts. A cursor of another scope is refused, because it has skipped positions that
   * the new scope needs. (Default: everything that its name covers.)
   */
  readonly scope?: string | undefined;
  /** Chain ID of its events, if known before `open`. (Default: the one that `open` returns.) */
  readonly chainId?: number | undefined;
  /** Called at the start of each run, and after failures. `signal` ends the requests in progress. */
  open(options: { readonly signal: AbortSignal }): Promise<OpenSource>;
}
