import { growingBuffer } from '../internal/growing-buffer.js';
import { type BodyReader, incomplete, tooLarge } from './request.js';

/**
 * Starts reading: passes each chunk to `add` and calls `finish`, with the error if there is one. Returns a function that stops
 * reading, which is called if reading fails.
 */
export type BodySource = (add: (chunk: Uint8Array) => void, finish: (error?: unknown) => void) => () => void;

/** Reads a body within its size limit, until it ends, fails, or the delivery is dropped. */
export function readBody(source: BodySource): BodyReader {
  return ({ maxBodyBytes, arrival }) =>
    new Promise((resolve, reject) => {
      // Undefined once reading is over: listeners may outlive the delivery, and must not keep its bytes.
      let buffer: ReturnType<typeof growingBuffer> | undefined = growingBuffer(maxBodyBytes);
      let stop: (() => void) | undefined;
      const finish = (error?: unknown) => {
        const read = buffer;
        buffer = undefined;
        if (read === undefined) return;
        if (error === undefined) return resolve(read.bytes());
        reject(error);
        stop?.();
      };
      const add = (chunk: Uint8Array) => {
        if (!buffer) return;
        if (!ArrayBuffer.isView(chunk) || chunk.BYTES_PER_ELEMENT !== 1)
          return finish(incomplete('its stream returned something other than bytes'));
        if (!buffer.add(chunk)) return finish(tooLarge(maxBodyBytes));
        arrival.received(chunk.byteLength);
      };
      arrival.onDrop(finish);
      if (buffer) stop = source(add, finish);
    });
}
