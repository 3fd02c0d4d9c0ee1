import { monotonicNow } from '../deadline.js';

/** Holds back large bodies that nobody has verified, so that they take a part of the time and never all of it. */
export interface Pace {
  /** Resolves when a body of so many bytes may be read: those that are small at once, of the others the smallest first. */
  admit(bytes: number): Promise<void>;
  /** Gives back what a body has used up that was verified. */
  refund(bytes: number): void;
}

export interface PaceOptions {
  /** What large bodies may have together, on average. (Default: 64 MiB, of which reading and hashing take about 200 ms.) */
  readonly bytesPerSecond?: number | undefined;
  /** What they may have at once. (Default: 32 MiB.) */
  readonly burst?: number | undefined;
  /** A clock in milliseconds that cannot be set. */
  readonly now?: (() => number) | undefined;
}

const MIB = 1024 * 1024;
/** Bodies up to this size take hardly longer than their requests. */
const SMALL = 64 * 1024;

export function createPace({
  bytesPerSecond = 64 * MIB,
  burst = 32 * MIB,
  now = monotonicNow,
}: PaceOptions = {}): Pace {
  const waiting = new Set<{ bytes: number; admit: () => void }>();
  let left = burst;
  let counted = now();
  let timer: NodeJS.Timeout | undefined;

  function admitWaiting(): void {
    timer = undefined;
    const time = now();
    left = Math.min(burst, left + ((time - counted) / 1000) * bytesPerSecond);
    counted = time;
    while (left > 0 && waiting.size > 0) {
      const next = [...waiting].reduce((smallest, each) => (each.bytes < smallest.bytes ? each : smallest));
      waiting.delete(next);
      left -= next.bytes;
      next.admit();
    }
    if (waiting.size > 0) timer = setTimeout(admitWaiting, Math.ceil((-left / bytesPerSecond) * 1000) + 1);
  }

  return {
    admit: (bytes) =>
      new Promise((resolve) => {
        if (bytes <= SMALL) return resolve();
        waiting.add({ bytes, admit: resolve });
        if (timer === undefined) admitWaiting();
      }),
    refund(bytes) {
      if (bytes > SMALL) left = Math.min(burst, left + bytes);
    },
  };
}
