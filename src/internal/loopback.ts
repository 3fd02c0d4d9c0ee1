const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|\[?::1\]?|(?:.+\.)?localhost)$/i;

/** Whether a host name or address is this machine's own: localhost, `*.localhost`, 127.0.0.0/8 or ::1. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}
