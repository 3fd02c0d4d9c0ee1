export interface BrakeOptions {
  /** How many pass at once after a quiet time. (Default: 100.) */
  readonly burst?: number | undefined;
  /** How many pass in the long run. (Default: 100.) */
  readonly perSecond?: number | undefined;
  /** The longest that one is held, in milliseconds. (Default: 1000.) */
  readonly mostMs?: number | undefined;
  /** A clock in milliseconds that cannot be set. */
  readonly now?: (() => number) | undefined;
}

/** Delays answers that are too frequent: a stranger who waits for an answer sends nothing meanwhile. */
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
