export interface BrakeOptions {
  /** Responses without delay after a quiet period. (Default: 100.) */
  readonly burst?: number | undefined;
  /** Sustained rate per second. (Default: 100.) */
  readonly perSecond?: number | undefined;
  /** Longest delay, in milliseconds. (Default: 1000.) */
  readonly mostMs?: number | undefined;
  /** A monotonic clock, in milliseconds. */
  readonly now?: (() => number) | undefined;
}

/** Delays frequent responses, because a sender that waits for a response sends nothing meanwhile. */
export function createBrake({
  burst = 100,
  perSecond = 100,
  mostMs = 1000,
  now = () => performance.now(),
}: BrakeOptions = {}) {
  const least = (-mostMs / 1000) * perSecond;
  let left = burst;
  let counted = now();
  return async (): Promise<void> => {
    const time = now();
    left = Math.max(least, Math.min(burst, left + ((time - counted) / 1000) * perSecond) - 1);
    counted = time;
    if (left < 0) await new Promise<void>((resolve) => setTimeout(resolve, (-left / perSecond) * 1000).unref());
  };
}
