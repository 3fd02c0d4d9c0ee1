import { checkNumber, checkOptions, MAX_TIMER_MS } from '../internal/check-options.js';
import { withDeadline } from '../internal/deadline.js';
import type { IdempotencyStore } from '../stores/store.js';
import type { Arrivals } from './arrivals.js';
import { draining, type Gate } from './gate.js';

/** Options of `drain`. */
export interface DrainOptions {
  /** How long to wait, in ms: less than the platform's own limit, such as the 30 s of Kubernetes. (Default: 25 000.) */
  readonly timeoutMs?: number | undefined;
}

type DrainedStore = Pick<IdempotencyStore<never>, 'unrecorded'> | false;

/** Time limit for arriving deliveries: senders need milliseconds, and stalled strangers must not delay a shutdown. */
const ARRIVAL_MS = 5000;

/** Refuses new deliveries and waits until all work in flight is done. */
export async function drain(
  { gate, arrivals, store }: { gate: Gate; arrivals: Arrivals; store: DrainedStore },
  options?: DrainOptions,
): Promise<{ unfinished: number }> {
  if (options !== undefined) checkOptions('drain', options, ['timeoutMs']);
  const timeoutMs = options?.timeoutMs ?? 25_000;
  checkNumber('timeoutMs', timeoutMs, 0, MAX_TIMER_MS);
  const unrecorded = () => unrecordedOf(store);
  let isOver = false;

  async function arrived(): Promise<void> {
    await within(Math.min(timeoutMs, ARRIVAL_MS), arrivals.idle());
    // Deliveries that have just arrived enter the gate in this turn.
    await new Promise((resolve) => setTimeout(resolve));
    gate.close(true);
    arrivals.dropAll(draining());
  }

  async function finish(): Promise<void> {
    await arrived();
    while (!isOver && gate.size + unrecorded().length > 0) {
      await gate.idle();
      await Promise.allSettled(unrecorded());
      // A store may still list a settled record: let timers fire meanwhile.
      await new Promise((resolve) => setTimeout(resolve));
    }
  }

  gate.close();
  await within(timeoutMs, finish());
  isOver = true;
  gate.close(true);
  arrivals.dropAll(draining());
  return { unfinished: gate.size + unrecorded().length };
}

/** The records that a store still retries; none if its `unrecorded` fails. */
function unrecordedOf(store: DrainedStore): readonly unknown[] {
  try {
    const records: unknown = store ? store.unrecorded?.() : undefined;
    return Array.isArray(records) ? records : [];
  } catch {
    // A custom store. Draining must not fail because of it.
    return [];
  }
}

/** Waits for work, but no longer than `ms`. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  const late = new Error('Out of time.');
  try {
    await withDeadline(work, ms, () => late);
  } catch (error) {
    if (error !== late) throw error;
  }
}
