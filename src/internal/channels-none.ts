/** There is no diagnostics_channel on this runtime, so nobody can listen. */
export function tracingChannel() {
  return { hasSubscribers: false };
}
