import { setTimeout as sleep } from 'node:timers/promises';

/** Longest time between two readings of the clock: a timer can be late, and a timer for weeks fires at once. */
const LOOK_MS = 60_000;
/** A delay of up to this time is caught up. A longer one, as of a suspended process, shifts the later deliveries. */
const CAUGHT_UP_MS = 250;

/** A monotonic clock in milliseconds, and a way to wait. */
export interface Timing {
  now(): number;
  /** Resolves after a time, or earlier when the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

const realTiming: Timing = {
  now: () => performance.now(),
  wait: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {}),
};

/**
 * Keeps the gaps between recorded deliveries. Returns a function that takes the time at which a delivery was recorded,
 * and resolves when the delivery is due. A time before the previous one counts as no gap.
 *
 * @param speed Factor by which the gaps are shorter.
 * @param announce Called before each wait with the length of the gap in milliseconds.
 */
export function createPace(
  { speed, signal, announce }: { speed: number; signal: AbortSignal; announce: (ms: number) => void },
  timing: Timing = realTiming,
): (recordedAt: number) => Promise<void> {
  let last: { recordedAt: number; due: number } | undefined;
  return async (recordedAt) => {
    const before = last;
    if (before === undefined) {
      last = { recordedAt, due: timing.now() };
      return;
    }
    const due = before.due + Math.max(0, recordedAt - before.recordedAt) / speed;
    const left = due - timing.now();
    if (left > 0) announce(left);
    for (let rest = left; rest > 0 && !signal.aborted; rest = due - timing.now()) {
      await timing.wait(Math.min(rest, LOOK_MS), signal);
    }
    const now = timing.now();
    last = {
      recordedAt: Math.max(recordedAt, before.recordedAt),
      due: now - due > CAUGHT_UP_MS ? now : due,
    };
  };
}
