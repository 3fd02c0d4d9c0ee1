/** Responses without delay after a quiet period, and the sustained rate per second. */
const [BURST, PER_SECOND] = [100, 100];
/** Longest delay, in milliseconds. */
const MOST_MS = 1000;

/** Delays frequent responses, because a sender that waits for a response sends nothing meanwhile. */
export function createBrake() {
  const least = (-MOST_MS / 1000) * PER_SECOND;
  let left = BURST;
  let counted = performance.now();
  return async (): Promise<void> => {
    const time = performance.now();
    left = Math.max(least, Math.min(BURST, left + ((time - counted) / 1000) * PER_SECOND) - 1);
    counted = time;
    if (left < 0) await new Promise<void>((resolve) => setTimeout(resolve, (-left / PER_SECOND) * 1000).unref());
  };
}
