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

/** Reads a body within its size limit, until it ends, fails, or the delivery is dropped. */
export function readBody(source: BodySource): BodyReader {
  return async ({ maxBodyBytes, arrival }) => {
    // One buffer: many small chunks would cost more memory than their bytes.
    let bytes = new Uint8Array(0);
    let size = 0;
    let isOver = false;
    let hasFailed = true;
    let stop: ReturnType<BodySource> | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        const finish = (error?: unknown) => {
          isOver = true;
          if (error === undefined) resolve();
          else reject(error);
        };
        const add = (chunk: Uint8Array) => {
          if (isOver) return;
          if (!ArrayBuffer.isView(chunk) || chunk.BYTES_PER_ELEMENT !== 1)
            return finish(incomplete('its stream returned something other than bytes'));
          const needed = size + chunk.byteLength;
          if (needed > maxBodyBytes) return finish(tooLarge(maxBodyBytes));
          if (needed > bytes.byteLength) {
            const larger = new Uint8Array(Math.min(maxBodyBytes, Math.max(needed, GROWTH * size, FIRST_BYTES)));
            larger.set(bytes.subarray(0, size));
            bytes = larger;
          }
          bytes.set(chunk, size);
          size = needed;
          arrival.received(chunk.byteLength);
        };
        arrival.onDrop(finish);
        stop = source(add, finish);
      });
      hasFailed = false;
      return bytes.subarray(0, size);
    } finally {
      isOver = true;
      try {
        stop?.(hasFailed);
      } catch {
        // A stream that only looks like one may lack the methods that end the reading. Its bytes are no longer added.
      }
      // Listeners may outlive the delivery, and must not keep its bytes.
      bytes = new Uint8Array(0);
    }
  };
}
