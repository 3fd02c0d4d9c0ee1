import type { EventContext } from './options.js';
import { REPORT } from './report.js';
import type { TimeLimit } from './time-limit.js';

/** What knows how to tell `onError`. */
export interface Reporting {
  report(error: unknown): void;
}

/** What a handler is told. A class, so that `signal` can be made late without a new shape for each object. */
export class Context<Tx> implements EventContext<Tx> {
  readonly idempotencyKey: string;
  readonly source: string | undefined;
  readonly timestamp: string;
  readonly tx: Tx;
  readonly fencingToken: bigint | undefined;
  readonly deadline: number;
  readonly #limit: TimeLimit;
  readonly #reporter: Reporting;

  constructor(
    { idempotencyKey, source, timestamp }: Pick<EventContext, 'idempotencyKey' | 'source' | 'timestamp'>,
    tx: Tx,
    fencingToken: bigint | undefined,
    limit: TimeLimit,
    reporter: Reporting,
  ) {
    this.idempotencyKey = idempotencyKey;
    this.source = source;
    this.timestamp = timestamp;
    this.tx = tx;
    this.fencingToken = fencingToken;
    this.deadline = limit.deadline;
    this.#limit = limit;
    this.#reporter = reporter;
  }

  get signal(): AbortSignal {
    return this.#limit.signal;
  }

  /** Bound, so that a handler may take it out of the context. */
  get throwIfExpired(): () => void {
    return () => this.#limit.throwIfExpired();
  }

  [REPORT](error: unknown): void {
    this.#reporter.report(error);
  }
}
