import type { WebhookEvent } from '../../events/types.js';

/** How far a source may be read. */
export interface SourceRange {
  /** ID of the chain whose events it has; undefined if the source cannot tell. */
  readonly chainId: number | undefined;
  /** The last position that may be read: all up to it is final. -1 if there is none yet. */
  readonly end: number;
  /** The last position there is, final or not. (Default: unknown.) */
  readonly head?: number | undefined;
}

/** An event and where it is in the source. */
export interface SourceEntry {
  readonly position: number;
  readonly event: WebhookEvent;
}

/** All that a source has up to a position. */
export interface SourceChunk {
  /** The last position of the chunk. The next chunk starts after it. */
  readonly to: number;
  /** In ascending order of position. Several events may share a position, such as those of a block. */
  readonly entries: readonly SourceEntry[];
  /** When the oldest of the events happened, in epoch milliseconds. Required if there are entries. */
  readonly oldestAt?: number | undefined;
  /** Hashes of the blocks of the chunk, of a source that reads whole blocks. */
  readonly blockHashes?: readonly string[] | undefined;
  /** Positions of the chunk that may have other events: the source cannot prove that there are none. */
  readonly unproven?: readonly number[] | undefined;
}

/** Aborts what is under way. */
export interface SourceOptions {
  readonly signal: AbortSignal;
}

/**
 * Where `reconcile` reads what happened, such as `chainSource`. Positions are integers that grow with time: block numbers, or
 * ids of a log's entries.
 *
 * Every method may reject: `reconcile` tries again, after the error's `retryAfterMs` if it has one, and stops after several
 * failures in a row. A ConfigError is not retried.
 */
export interface ReconcileSource {
  /** Identifies the source in cursors, messages and metrics: the same in each process that shares the cursor. */
  readonly name: string;
  /**
   * What it reads, such as its contracts. A cursor of another scope is refused: what was added would be missing below it.
   * (Default: all that its name stands for.)
   */
  readonly scope?: string | undefined;
  /** ID of the chain whose events it has, if it is known before `open`. (Default: what `open` returns.) */
  readonly chainId?: number | undefined;
  /** Called at the start of each run. */
  open(options: SourceOptions): Promise<SourceRange>;
  /**
   * Reads the positions from `from` to `to`, both included, in ascending chunks without gaps: the last chunk ends at `to`. An
   * event of these positions that it leaves out is not made good, so it must throw rather than skip one.
   */
  read(from: number, to: number, options: SourceOptions): AsyncIterable<SourceChunk>;
}
