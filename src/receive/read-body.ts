import { type BodyReader, incomplete, tooLarge } from './request.js';

/**
 * Starts reading: passes each chunk to `add` and calls `finish` once, with the error if there is one. Returns a function that
 * stops reading; it is called once, with whether reading failed.
 */
export type BodySource = (
  add: (chunk: Uint8Array) => void,
  finish: (error?: unknown) => void,
) => (hasFailed: boolean) => void;

/** How much larger a full buffer becomes: it is never more than a third empty. */
const GROWTH = 1.5;
const FIRST_BYTES = 512;

/** Reads a body within its size and time limits, until it ends, fails, or the delivery is dropped. */
export function readBody(source: BodySource): BodyReader {
  return ({ maxBodyBytes, timeoutMs, arrival }) =>
    new Promise((resolve, reject) => {
      // One buffer: many small chunks would cost more memory than their bytes.
      let bytes = new Uint8Array(0);
      let size = 0;
      const late = () => finish(incomplete(`it took longer than ${timeoutMs} ms (receiveTimeoutMs)`));
      const timer = setTimeout(late, timeoutMs);
      let stop: ReturnType<BodySource> | undefined;
      let ended: { hasFailed: boolean } | undefined;

      function add(chunk: Uint8Array): void {
        if (ended) return;
        if (!ArrayBuffer.isView(chunk) || chunk.BYTES_PER_ELEMENT !== 1) {
          finish(incomplete('its stream returned something other than bytes'));
          return;
        }
        const needed = size + chunk.byteLength;
        if (needed > maxBodyBytes) {
          finish(tooLarge(maxBodyBytes));
          return;
        }
        if (needed > bytes.byteLength) {
          const larger = new Uint8Array(Math.min(maxBodyBytes, Math.max(needed, GROWTH * size, FIRST_BYTES)));
          larger.set(bytes.subarray(0, size));
          bytes = larger;
        }
        bytes.set(chunk, size);
        size = needed;
        arrival.received(chunk.byteLength);
      }

      function finish(error?: unknown): void {
        if (ended) return;
        ended = { hasFailed: error !== undefined };
        clearTimeout(timer);
        halt();
        if (ended.hasFailed) reject(error);
        else resolve(bytes.subarray(0, size));
        // Listeners may outlive the delivery, and must not keep its bytes.
        bytes = new Uint8Array(0);
      }

      /** A stream that only looks like one may lack the methods that end the reading. */
      function halt(): void {
        try {
          stop?.(ended?.hasFailed === true);
        } catch {
          // Its bytes are no longer added.
        }
      }

      arrival.onDrop(finish);
      try {
        stop = source(add, finish);
        if (ended) halt();
      } catch (error) {
        finish(error);
      }
    });
}
