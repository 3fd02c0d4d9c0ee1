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

/** How long arriving deliveries may take: senders need milliseconds, and stalling strangers are not waited for. */
const ARRIVAL_MS = 5000;

/** Admits nothing more, and waits until everything under way is done. */
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
    // Those that have just arrived enter the gate in this turn.
    await new Promise((resolve) => setTimeout(resolve));
    gate.close(true);
    arrivals.dropAll(draining());
  }

  async function finish(): Promise<void> {
    await arrived();
    while (!isOver && gate.size + unrecorded().length > 0) {
      await gate.idle();
      await Promise.allSettled(unrecorded());
      // A store may be late to forget what has settled: timers must fire meanwhile.
      await new Promise((resolve) => setTimeout(resolve));
    }
  }

  gate.close();
  await within(timeoutMs, finish());
  isOver = true;
  gate.close(true);
  return { unfinished: gate.size + unrecorded().length };
}

/** What a store still records: nothing where its own word for that is unusable. */
function unrecordedOf(store: DrainedStore): readonly unknown[] {
  try {
    const records: unknown = store ? store.unrecorded?.() : undefined;
    return Array.isArray(records) ? records : [];
  } catch {
    // A store of somebody's own. Draining does not fail for that.
    return [];
  }
}

/** Waits for work, but no longer than this. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  const late = new Error('Out of time.');
  try {
    await withDeadline(work, ms, () => late);
  } catch (error) {
    if (error !== late) throw error;
  }
}
