import { setTimeout as sleep } from 'node:timers/promises';

/** Longest time between two looks at the clock: a timer can be late, and one for weeks fires at once. */
const LOOK_MS = 60_000;
/** A delay up to this is caught up. A longer one, as of a process that was stopped, moves what follows. */
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
 * Keeps the time between recorded deliveries. Returns a function that resolves when a delivery is due, given the time
 * at which it was recorded. Times that go back count as no gap.
 *
 * @param speed Factor by which the gaps are shorter.
 * @param announce Called with the length of a gap in milliseconds before it is waited for.
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
