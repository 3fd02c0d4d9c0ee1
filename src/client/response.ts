import { growingBuffer } from '../internal/growing-buffer.js';

/**
 * Reads at most `maxBytes` of a response body, whatever its headers say. Returns undefined for a longer body and does not
 * read the rest.
 */
export async function readBounded(response: Response, maxBytes: number): Promise<Uint8Array | undefined> {
  const reader = response.body?.getReader();
  const buffer = growingBuffer(maxBytes);
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) return buffer.bytes();
    if (buffer.add(value)) continue;
    // Not awaited: an endless sender may also ignore the cancellation.
    reader?.cancel().catch(() => {});
    return undefined;
  }
}

/** The wait that a Retry-After header asks for, in ms; undefined when it is absent or invalid. */
export function retryAfterMs(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  // Date.parse also accepts `-5`.
  const ms = header.endsWith(' GMT') ? Date.parse(header) - Date.now() : Number.NaN;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
