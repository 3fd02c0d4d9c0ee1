import type { Output } from './output.js';

/** Notes that are written in {@link WINDOW_MS}; more are counted. */
const MOST_NOTES = 20;
const WINDOW_MS = 5000;

/** Notes of requests that are no deliveries: anybody may send as many as they like. */
export interface Others {
  note(message: string): void;
  /** Says how many were not written. */
  done(): void;
}

export function createOthers(output: Output, now = () => performance.now()): Others {
  let since = Number.NEGATIVE_INFINITY;
  let written = 0;
  let missed = 0;

  function done(): void {
    if (missed > 0) output.note(`Not shown, as they came too fast: ${missed} requests that are not deliveries.`);
    missed = 0;
  }

  return {
    note(message) {
      const time = now();
      if (time - since > WINDOW_MS) {
        done();
        since = time;
        written = 0;
      }
      if (written >= MOST_NOTES) {
        missed++;
        return;
      }
      written++;
      output.note(message);
    },
    done,
  };
}
