import { Collector } from './collect.js';
import { type BodyReader, incomplete } from './request.js';

/**
 * Starts reading: passes each chunk to `add` and calls `finish` once, with the error if there is one. Returns a function that
 * stops reading; it is called once, with whether reading failed.
 */
export type BodySource = (
  add: (chunk: Uint8Array) => void,
  finish: (error?: unknown) => void,
) => (hasFailed: boolean) => void;

/** Reads a body within its size and time limits, until it ends, fails, or the delivery is dropped. */
export function readBody(source: BodySource): BodyReader {
  return ({ maxBodyBytes, timeoutMs, arrival }) =>
    new Promise((resolve, reject) => {
      const collector = new Collector(maxBodyBytes);
      const late = () => finish(incomplete(`it took longer than ${timeoutMs} ms (receiveTimeoutMs)`));
      const timer = setTimeout(late, timeoutMs);
      let stop: ReturnType<BodySource> | undefined;
      let ended: { hasFailed: boolean } | undefined;

      function add(chunk: Uint8Array): void {
        if (ended) return;
        try {
          collector.add(chunk);
          arrival.received(chunk.byteLength);
        } catch (error) {
          finish(error);
        }
      }

      function finish(error?: unknown): void {
        if (ended) return;
        ended = { hasFailed: error !== undefined };
        clearTimeout(timer);
        halt();
        if (ended.hasFailed) reject(error);
        else resolve(collector.bytes());
        // Listeners may outlive the delivery, and must not keep its bytes.
        collector.clear();
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
