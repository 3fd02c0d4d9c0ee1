import { ConfigError } from '../errors.js';
import { asWebhookError } from '../handle/answer.js';
import { storeFailure } from '../handle/attempt-errors.js';
import type { Reorgs } from '../handle/reorgs.js';
import type { ReorgReport, Revise } from '../handle/revise.js';
import { traceReorgs } from '../handle/tracing.js';
import type { Gate } from '../receive/gate.js';
import type { createReporter } from './reporter.js';

/** Options of `settleReorgs`. */
export interface SettleOptions {
  /** Ends the pass between two events. */
  readonly signal?: AbortSignal | undefined;
}

/** How soon a pass follows a delivery that hints at a re-org, in ms. */
const SOON_MS = 1000;
/** Most block numbers that wait for such a pass; beyond that, the pass covers all. */
const MOST_HINTS = 1000;

/** Runs passes over the logs whose blocks are not final: on demand, after hints, and at intervals. */
export class Settling {
  readonly #reorgs: Reorgs | undefined;
  readonly #gate: Gate;
  readonly #reporter: ReturnType<typeof createReporter>;
  readonly #hints = new Set<number>();
  #revise: Revise | undefined;
  #soon: ReturnType<typeof setTimeout> | undefined;
  #running: Promise<unknown> = Promise.resolve();

  constructor(reorgs: Reorgs | undefined, gate: Gate, reporter: ReturnType<typeof createReporter>) {
    this.#reorgs = reorgs;
    this.#gate = gate;
    this.#reporter = reporter;
  }

  /** Starts the passes at intervals. */
  start(revise: Revise | undefined): void {
    this.#revise = revise;
    if (this.#reorgs?.intervalMs) this.#next(this.#reorgs.intervalMs);
  }

  /** Asks for a pass over the blocks of a number soon. Without an interval, the next call of `settle` covers them. */
  readonly hint = (blockNumber: number): void => {
    if (!this.#reorgs?.intervalMs) return;
    if (this.#hints.size < MOST_HINTS) this.#hints.add(blockNumber);
    this.#soon ??= unrefed(
      () => {
        this.#soon = undefined;
        const numbers = [...this.#hints];
        this.#hints.clear();
        void this.#quietly(numbers.length < MOST_HINTS ? numbers : undefined);
      },
      Math.min(SOON_MS, this.#reorgs.intervalMs),
    );
  };

  /** One pass over all logs. Rejects with `ERR_WEBHOOK_STORE` if the store fails. */
  readonly settle = async ({ signal }: SettleOptions = {}): Promise<ReorgReport> => {
    if (!this.#revise) throw new ConfigError('`settleReorgs` needs the option `reorgs`.');
    return this.#pass(signal);
  };

  /** Passes of one receiver run one after the other. */
  async #pass(signal?: AbortSignal, numbers?: readonly number[]): Promise<ReorgReport> {
    this.#gate.check();
    const before = this.#running;
    const isOver = () => (signal?.aborted ?? false) || this.#gate.isClosed;
    const pass = before.then(() => (this.#revise as Revise).pass(isOver, numbers));
    this.#running = pass.catch(() => {});
    this.#gate.wait(this.#running);
    try {
      const report = await pass;
      traceReorgs(report);
      this.#reporter.settled(report);
      return report;
    } catch (error) {
      throw storeFailure(error);
    }
  }

  /** A pass whose failure is reported. */
  async #quietly(numbers?: readonly number[]): Promise<void> {
    if (this.#gate.isClosed) return;
    try {
      await this.#pass(undefined, numbers);
    } catch (error) {
      this.#reporter.failed(asWebhookError(error), {});
    }
  }

  #next(intervalMs: number): void {
    unrefed(async () => {
      await this.#quietly();
      if (!this.#gate.isClosed) this.#next(intervalMs);
    }, intervalMs);
  }
}

/** A timer that does not keep the process alive. */
function unrefed(work: () => unknown, ms: number): ReturnType<typeof setTimeout> {
  const timer: unknown = setTimeout(work, ms);
  (timer as { unref?(): void }).unref?.();
  return timer as ReturnType<typeof setTimeout>;
}
