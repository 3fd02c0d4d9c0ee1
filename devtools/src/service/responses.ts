import type { Attempt, AttemptResponse } from './attempt.js';

/** The responses to recent attempts, in memory only and bounded: a delivery can be sent again without them. */
export interface Responses {
  keep(attempt: Attempt, response: AttemptResponse | undefined): void;
  /** The attempt with its response, if that is still kept. */
  with(attempt: Attempt): Attempt;
}

/** @param maxBytes Limit of all responses; beyond it the oldest are dropped. (Default: 16 MiB.) */
export function createResponses(maxBytes = 16 * 1024 * 1024): Responses {
  const kept = new Map<Attempt, AttemptResponse>();
  let bytes = 0;
  return {
    keep(attempt, response) {
      if (response === undefined) return;
      kept.set(attempt, response);
      bytes += responseSize(response);
      for (const [oldest, dropped] of kept) {
        if (bytes <= maxBytes) return;
        kept.delete(oldest);
        bytes -= responseSize(dropped);
      }
    },
    with(attempt) {
      const response = kept.get(attempt);
      return response ? { ...attempt, response } : attempt;
    },
  };
}

/** Approximate overhead of a response, in bytes. */
const OVERHEAD = 200;

/** Approximate size of a response in memory, in bytes. */
export function responseSize({ headers, bodyBase64 }: AttemptResponse): number {
  return headers.reduce((size, [name, value]) => size + 2 * (name.length + value.length), OVERHEAD + bodyBase64.length);
}
