import { incomplete, tooLarge } from '../intake.js';

/** Chunks below this many bytes cost more to keep than they hold, so that many are copied together. */
const SMALL = 1024;
const MOST_SMALL = 256;

/** Collects a body's bytes as they arrive, and no more of them than `maxBodyBytes`, whatever the headers say. */
export class Collector {
  #size = 0;
  #chunks: Uint8Array[] = [];
  #small: Uint8Array[] = [];
  readonly #maxBodyBytes: number;

  constructor(maxBodyBytes: number) {
    this.#maxBodyBytes = maxBodyBytes;
  }

  /** Throws the error for a body over the limit, and for a chunk that is no bytes, whose size would not be known. */
  add(chunk: Uint8Array): void {
    if (!ArrayBuffer.isView(chunk) || chunk.BYTES_PER_ELEMENT !== 1)
      throw incomplete('its stream gave something other than bytes');
    this.#size += chunk.byteLength;
    if (this.#size > this.#maxBodyBytes) throw tooLarge(this.#maxBodyBytes);
    if (chunk.byteLength < SMALL) {
      this.#small.push(chunk);
      if (this.#small.length === MOST_SMALL) this.#merge();
    } else {
      this.#merge();
      this.#chunks.push(chunk);
    }
  }

  /** All that was added, as one. */
  bytes(): Uint8Array {
    this.#merge();
    const [only] = this.#chunks;
    return this.#chunks.length === 1 && only !== undefined ? only : concat(this.#chunks);
  }

  #merge(): void {
    if (this.#small.length > 0) this.#chunks.push(concat(this.#small));
    this.#small = [];
  }
}

function concat(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.byteLength, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}
