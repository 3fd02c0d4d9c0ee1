/** How failed deliveries are retried. */
export interface RetryOptions {
  /** The number of failed attempts after which a delivery is given up. (Default: 8.) */
  readonly attempts?: number | undefined;
  /** The delay after the first failure, in milliseconds; it doubles with each failure. (Default: 1000.) */
  readonly initialDelayMs?: number | undefined;
  /** The longest delay, whatever Retry-After says, in milliseconds. (Default: 60 000.) */
  readonly maxDelayMs?: number | undefined;
}

/** The delay after a number of failures: exponential, half of it random, and at least what the receiver asks for. */
export function retryDelay(
  failures: number,
  { initialDelayMs, maxDelayMs }: { readonly initialDelayMs: number; readonly maxDelayMs: number },
  random: () => number,
  askedMs = 0,
): number {
  const full = Math.min(maxDelayMs, initialDelayMs * 2 ** (failures - 1));
  return Math.round(Math.max(full * (0.5 + random() / 2), Math.min(askedMs, maxDelayMs)));
}

/** The delay that Retry-After asks for, in milliseconds from `now`. 0 when it asks for none. */
export function retryAfterMs(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  if (/^[0-9]{1,9}$/.test(header)) return Number(header) * 1000;
  // Date.parse accepts much that is not an HTTP date, such as "-1".
  const at = /^[A-Z][a-z]{2}, .+ GMT$/.test(header) ? Date.parse(header) : Number.NaN;
  return at > now ? at - now : 0;
}
