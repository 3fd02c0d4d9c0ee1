import type { Process } from '../kernel/process.js';
import type { Ledger, Run } from '../oracle/ledger.js';

/** What the handlers of a world may do. */
export interface HandlerLimits {
  /** `handlerTimeoutMs` of the receiver. */
  readonly timeoutMs: number;
  /** After this time handlers are quick and succeed. */
  readonly horizonMs: number;
  /** Makes what a handler fails with. */
  readonly failure?: ((message: string) => Error) | undefined;
}

/** What a handler is given of its context. */
interface Context {
  readonly signal: AbortSignal;
  throwIfExpired(): void;
}

const WAYS = ['succeeds', 'succeeds', 'succeeds', 'fails before', 'fails after', 'is slow', 'hangs'] as const;

/**
 * A handler as people write them: it takes a while, then the event takes effect at once, somewhere outside. It may fail
 * before or after that, take longer than its limit, and look at its context or not. Its caller ends the run.
 */
export async function act(
  process: Process,
  ledger: Ledger,
  run: Run,
  context: Context,
  { timeoutMs, horizonMs, failure = (message) => new Error(message) }: HandlerLimits,
): Promise<void> {
  const { choices, now } = process.world;
  const way = now < horizonMs ? choices.pick(WAYS) : 'succeeds';
  const looks = choices.below(2) === 0;
  const wait = (ms: number) => new Promise<void>((resolve) => process.setTimeout(resolve, ms));
  context.signal.addEventListener('abort', () => {
    run.isLate = true;
  });
  if (way === 'hangs') await wait(timeoutMs * 10);
  else await wait(way === 'is slow' ? timeoutMs * (0.8 + choices.below(20) / 5) : choices.below(timeoutMs / 3));
  if (way === 'fails before') throw failure('The handler fails.');
  if (looks) context.throwIfExpired();
  ledger.effect(run);
  if (choices.oneIn(4)) await wait(choices.below(timeoutMs / 4));
  if (way === 'fails after') throw failure('The handler fails after its effect.');
}
