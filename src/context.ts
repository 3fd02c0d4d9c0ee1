import type { EventContext } from './options.js';
import { REPORT } from './report.js';
import type { TimeLimit } from './time-limit.js';

/** What a handler is told. A class, so that `signal` can be made late without each object having a shape of its own. */
export class Context<Tx> implements EventContext<Tx> {
  readonly idempotencyKey: string;
  readonly source: string | undefined;
  readonly timestamp: string;
  readonly tx: Tx;
  readonly fencingToken: bigint | undefined;
  readonly deadline: number;
  /** A function of its own, so that a handler may take it out of the context. */
  readonly throwIfExpired: () => void;
  readonly #limit: TimeLimit;
  readonly #report: (error: unknown) => void;

  constructor(
    { idempotencyKey, source, timestamp }: Pick<EventContext, 'idempotencyKey' | 'source' | 'timestamp'>,
    { tx, fencingToken }: Pick<EventContext<Tx>, 'tx' | 'fencingToken'>,
    limit: TimeLimit,
    report: (error: unknown) => void,
  ) {
    this.idempotencyKey = idempotencyKey;
    this.source = source;
    this.timestamp = timestamp;
    this.tx = tx;
    this.fencingToken = fencingToken;
    this.deadline = limit.deadline;
    this.throwIfExpired = () => limit.throwIfExpired();
    this.#limit = limit;
    this.#report = report;
  }

  get signal(): AbortSignal {
    return this.#limit.signal;
  }

  [REPORT](error: unknown): void {
    this.#report(error);
  }
}
