/** Growth factor of a full buffer, which is therefore never more than a third empty. */
const GROWTH = 1.5;
const FIRST_BYTES = 512;

/** Keeps the bytes of a stream in one buffer that grows: many small chunks would cost more memory than their bytes. */
export function growingBuffer(maxBytes: number) {
  let buffer = new Uint8Array(0);
  let size = 0;
  return {
    /** Appends a chunk. Returns false, and does not keep the chunk, if the bytes would exceed `maxBytes`. */
    add(chunk: Uint8Array): boolean {
      const needed = size + chunk.byteLength;
      if (needed > maxBytes) return false;
      if (needed > buffer.byteLength) {
        const larger = new Uint8Array(Math.min(maxBytes, Math.max(needed, GROWTH * size, FIRST_BYTES)));
        larger.set(buffer.subarray(0, size));
        buffer = larger;
      }
      buffer.set(chunk, size);
      size = needed;
      return true;
    },
    /** The bytes so far, not copied. */
    bytes: (): Uint8Array => buffer.subarray(0, size),
  };
}
