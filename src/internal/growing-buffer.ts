/** How much larger a full buffer becomes: it is never more than a third empty. */
const GROWTH = 1.5;
const FIRST_BYTES = 512;

/** Bytes of a stream in one buffer that grows: many small chunks would cost more memory than their bytes. */
export class GrowingBuffer {
  #bytes = new Uint8Array(0);
  #size = 0;
  readonly #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Appends a chunk. Returns false, and keeps nothing of it, if the bytes would be more than `maxBytes`. */
  add(chunk: Uint8Array): boolean {
    const size = this.#size + chunk.byteLength;
    if (size > this.#maxBytes) return false;
    if (size > this.#bytes.byteLength) {
      const larger = new Uint8Array(Math.min(this.#maxBytes, Math.max(size, GROWTH * this.#size, FIRST_BYTES)));
      larger.set(this.bytes());
      this.#bytes = larger;
    }
    this.#bytes.set(chunk, this.#size);
    this.#size = size;
    return true;
  }

  /** The bytes so far, not copied. */
  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#size);
  }
}
