/** How what fails is tried again. */
export interface RetryOptions {
  /** After so many failed attempts a delivery is given up. (Default: 8.) */
  readonly attempts?: number | undefined;
  /** The wait after the first, in milliseconds; it doubles with each. (Default: 1000.) */
  readonly initialDelayMs?: number | undefined;
  /** No wait is longer, whatever Retry-After says, in milliseconds. (Default: 60 000.) */
  readonly maxDelayMs?: number | undefined;
}

/** The wait after so many failures: exponential, the half of it by chance, and not less than the receiver asks for. */
export function retryDelay(
  failures: number,
  { initialDelayMs, maxDelayMs }: { readonly initialDelayMs: number; readonly maxDelayMs: number },
  random: () => number,
  askedMs = 0,
): number {
  const full = Math.min(maxDelayMs, initialDelayMs * 2 ** (failures - 1));
  return Math.round(Math.max(full * (0.5 + random() / 2), Math.min(askedMs, maxDelayMs)));
}

/** What Retry-After asks for, in milliseconds from `now`: seconds, or a date. 0 when it asks for nothing. */
export function retryAfterMs(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  if (/^[0-9]{1,9}$/.test(header)) return Number(header) * 1000;
  // Date.parse takes much that is no date of HTTP, such as "-1".
  const at = /^[A-Z][a-z]{2}, .+ GMT$/.test(header) ? Date.parse(header) : Number.NaN;
  return at > now ? at - now : 0;
}
