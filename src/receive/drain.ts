import { monotonicNow } from '../internal/time.js';
import type { Arrivals } from './arrivals.js';
import { draining, type Gate } from './gate.js';

/** Options of `drain`. */
export interface DrainOptions {
  /** How long to wait, in ms: less than the platform's own limit, such as the 30 s of Kubernetes. (Default: 25 000.) */
  readonly timeoutMs?: number | undefined;
}

type DrainedStore = { unrecorded?(): readonly Promise<unknown>[] } | false;

/** Time limit for arriving deliveries: senders need milliseconds, and stalled connections must not delay a shutdown. */
const ARRIVAL_MS = 5000;
const POLL_MS = 10;

/** Refuses new deliveries and waits until all work in flight is done. */
export async function drain(
  { gate, arrivals, store }: { gate: Gate; arrivals: Arrivals; store: DrainedStore },
  { timeoutMs = 25_000 }: DrainOptions = {},
): Promise<{ unfinished: number }> {
  // Not a Deadline: it also ends when the wall clock is set, but no lease depends on this time.
  const start = monotonicNow();
  const unfinished = () => gate.size + ((store || undefined)?.unrecorded?.().length ?? 0);

  gate.isClosed = true;
  await until(() => arrivals.size === 0, start + Math.min(timeoutMs, ARRIVAL_MS));
  arrivals.dropAll(draining());
  await until(() => unfinished() === 0, start + timeoutMs);
  return { unfinished: unfinished() };
}

/** Polls until a condition is true or the time is over; at least once: a new delivery enters the gate in this turn. */
async function until(isDone: () => boolean, end: number): Promise<void> {
  do await new Promise((resolve) => setTimeout(resolve, Math.max(0, Math.min(POLL_MS, end - monotonicNow()))));
  while (!isDone() && monotonicNow() < end);
}
