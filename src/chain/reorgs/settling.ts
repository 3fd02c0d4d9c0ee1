import { storeFailure } from '../../handle/outcome.js';
import type { FollowedReceiver, SettleOptions } from '../../handle/reorgs.js';
import type { ReorgReport } from '../../handle/tracing.js';
import type { Revise } from './revise.js';

/** How soon a pass follows a delivery that hints at a re-org, in ms. */
const SOON_MS = 1000;
/** Most block numbers that wait for such a pass; beyond that, the pass covers all. */
const MOST_HINTS = 1000;

/** Runs passes over the logs whose blocks are not final: on demand, after hints, and at intervals. */
export class Settling {
  readonly #hints = new Set<number>();
  #soon: ReturnType<typeof setTimeout> | undefined;
  #running: Promise<unknown> = Promise.resolve();
  /** What the last pass of this receiver over all logs found. */
  #found: Pick<ReorgReport, 'open' | 'oldestBlock'> | undefined;

  constructor(
    private readonly intervalMs: number | false,
    private readonly pass: Revise['pass'],
    private readonly receiver: Pick<FollowedReceiver, 'gate' | 'settled' | 'report'>,
  ) {
    if (intervalMs) this.#next(intervalMs);
  }

  /** Asks for a pass over the blocks of a number soon. Without an interval, the next call of `settle` covers them. */
  readonly hint = (blockNumber: number): void => {
    if (!this.intervalMs) return;
    if (this.#hints.size < MOST_HINTS) this.#hints.add(blockNumber);
    this.#soon ??= unrefed(
      () => {
        this.#soon = undefined;
        const numbers = [...this.#hints];
        this.#hints.clear();
        void this.#quietly(numbers.length < MOST_HINTS ? numbers : undefined);
      },
      Math.min(SOON_MS, this.intervalMs),
    );
  };

  /** One pass over all logs. Rejects with `ERR_WEBHOOK_STORE` if the store fails. */
  readonly settle = ({ signal }: SettleOptions = {}): Promise<ReorgReport> => this.#run(signal);

  /** Passes of one receiver run one after the other. */
  async #run(signal?: AbortSignal, numbers?: readonly number[]): Promise<ReorgReport> {
    this.receiver.gate.check();
    const before = this.#running;
    const isOver = () => (signal?.aborted ?? false) || this.receiver.gate.isClosed;
    const pass = before.then(() => this.pass(isOver, numbers));
    this.#running = pass.catch(() => {});
    this.receiver.gate.wait(this.#running);
    try {
      const report = await pass;
      const { open, oldestBlock } = report;
      if (!numbers && !report.isElsewhere) this.#found = { open, oldestBlock };
      // A pass over some blocks does not see the others.
      this.receiver.settled({ ...report, ...this.#found });
      return report;
    } catch (error) {
      throw storeFailure(error);
    }
  }

  /** A pass whose failure is reported. */
  async #quietly(numbers?: readonly number[]): Promise<void> {
    if (this.receiver.gate.isClosed) return;
    try {
      await this.#run(undefined, numbers);
    } catch (error) {
      this.receiver.report(error, {});
    }
  }

  #next(intervalMs: number): void {
    unrefed(async () => {
      await this.#quietly();
      if (!this.receiver.gate.isClosed) this.#next(intervalMs);
    }, intervalMs);
  }
}

/** A timer that does not keep the process alive. */
function unrefed(work: () => unknown, ms: number): ReturnType<typeof setTimeout> {
  const timer: unknown = setTimeout(work, ms);
  (timer as { unref?(): void }).unref?.();
  return timer as ReturnType<typeof setTimeout>;
}
