import { GrowingBuffer } from '../internal/growing-buffer.js';
import { type BodyReader, incomplete, tooLarge } from './request.js';

/**
 * Starts reading: passes each chunk to `add` and calls `finish`, with the error if there is one. Returns a function that stops
 * reading, which is called if reading fails.
 */
export type BodySource = (add: (chunk: Uint8Array) => void, finish: (error?: unknown) => void) => () => void;

/** Reads a body within its size limit, until it ends, fails, or the delivery is dropped. */
export function readBody(source: BodySource): BodyReader {
  return async ({ maxBodyBytes, arrival }) => {
    // Undefined once reading is over: listeners may outlive the delivery, and must not keep its bytes.
    let buffer: GrowingBuffer | undefined = new GrowingBuffer(maxBodyBytes);
    let stop: (() => void) | undefined;
    try {
      return await new Promise<Uint8Array>((resolve, reject) => {
        const finish = (error?: unknown) => {
          if (buffer && error === undefined) resolve(buffer.bytes());
          else reject(error);
          buffer = undefined;
        };
        const add = (chunk: Uint8Array) => {
          if (!buffer) return;
          if (!ArrayBuffer.isView(chunk) || chunk.BYTES_PER_ELEMENT !== 1)
            return finish(incomplete('its stream returned something other than bytes'));
          if (!buffer.add(chunk)) return finish(tooLarge(maxBodyBytes));
          arrival.received(chunk.byteLength);
        };
        arrival.onDrop(finish);
        stop = source(add, finish);
      });
    } catch (error) {
      buffer = undefined;
      try {
        stop?.();
      } catch {
        // A stream that only looks like one may lack the methods that end the reading. Its bytes are no longer added.
      }
      throw error;
    }
  };
}
