/**
 * Whether a host name or address always means this machine: `localhost` and the names under it (RFC 6761),
 * 127.0.0.0/8 and ::1. IPv6 addresses with or without brackets.
 */
export function isLoopback(host: string): boolean {
  return /^((.+\.)?localhost|127(\.[0-9]{1,3}){3}|::1|\[::1\])$/i.test(host);
}

/** Whether a value is a JSON object: neither null nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The result of a function; undefined when it throws. */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
