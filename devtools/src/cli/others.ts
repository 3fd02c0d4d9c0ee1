import type { OtherRequest } from '../listener/listener.js';
import type { Output } from './output.js';
import { visible } from './visible.js';

/** Limit of notes within {@link WINDOW_MS}; others are only counted. */
const MOST_NOTES = 20;
const WINDOW_MS = 5000;

/** Notes about requests that are not deliveries, rate-limited because anyone can send them. */
export interface Others {
  note(request: OtherRequest): void;
  /** Prints the number of dropped notes. */
  done(): void;
}

export function createOthers(output: Output, now = () => performance.now()): Others {
  let since = Number.NEGATIVE_INFINITY;
  let written = 0;
  let missed = 0;

  function done(): void {
    if (missed > 0) output.note(`${missed} requests that are not deliveries arrived too fast to be shown.`);
    missed = 0;
  }

  return {
    note({ method, path, status }) {
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
      output.note(`${method} ${visible(path, 200)}: not a POST, answered with ${status}.`);
    },
    done,
  };
}
