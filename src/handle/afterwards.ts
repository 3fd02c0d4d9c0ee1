import type { DeadLetter } from './dead-letter.js';
import type { HostTime } from './host-time.js';
import type { ItemContext } from './types.js';

/** Handles work that continues after an event was answered. */
export interface Afterwards {
  /** Takes user code that still runs after its time limit. The code occupies a place until it settles. */
  hold(settled: Promise<unknown>, host?: HostTime): void;
  /** Takes a store call that has not settled yet. */
  wait(settled: Promise<unknown>, host?: HostTime): void;
  /** Reports failures after the answer, and events that a route skipped. */
  report(error: unknown, context: ItemContext): void;
  /** Reports a new dead letter. */
  deadLetter(letter: DeadLetter): void;
}
