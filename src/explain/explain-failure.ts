import type { Finding } from './finding.js';

/** Stands in for helper explain's, on this branch alone. */
export function explainFailure(_failure: {
  rawBody: Uint8Array;
  signature: string | undefined;
  timestamp: string | undefined;
  secret: string | readonly string[];
  now?: number | undefined;
  toleranceSeconds?: number | undefined;
  otherSecrets?: Readonly<Record<string, string>> | undefined;
}): Finding[] {
  return [];
}
