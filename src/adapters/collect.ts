import { incomplete, tooLarge } from '../intake.js';

/** A chunk below this many bytes is copied: the object around it costs more than its bytes do. */
const SMALL = 1024;
/** Where copies are gathered: first so large, then twice as large whenever it is full, up to the last. */
const FIRST_TAIL = 64;
const LAST_TAIL = 16 * 1024;

/** How many times its own size a chunk may keep in memory without being copied. */
const MOST_WASTE = 1.25;

const EMPTY = new Uint8Array();

/** Collects a body's bytes as they arrive, and no more of them than `maxBodyBytes`, whatever the headers say. */
export class Collector {
  #size = 0;
  #chunks: Uint8Array[] = [];
  #tail: Uint8Array = EMPTY;
  #used = 0;
  readonly #maxBodyBytes: number;

  constructor(maxBodyBytes: number) {
    this.#maxBodyBytes = maxBodyBytes;
  }

  /** Throws the error for a body over the limit, and for a chunk that is not bytes, whose size would not be known. */
  add(chunk: Uint8Array): void {
    if (!ArrayBuffer.isView(chunk) || chunk.BYTES_PER_ELEMENT !== 1)
      throw incomplete('its stream gave something other than bytes');
    this.#size += chunk.byteLength;
    if (this.#size > this.#maxBodyBytes) throw tooLarge(this.#maxBodyBytes);
    if (chunk.byteLength < SMALL) {
      this.#append(chunk);
    } else {
      this.#flush();
      // A view keeps the whole buffer that it is a part of, and HTTP/2 shares those between streams.
      const wasteful = chunk.buffer.byteLength > MOST_WASTE * chunk.byteLength;
      this.#chunks.push(wasteful ? new Uint8Array(chunk) : chunk);
    }
  }

  /** All that was added, as one. */
  bytes(): Uint8Array {
    this.#flush();
    const [only] = this.#chunks;
    return this.#chunks.length === 1 && only !== undefined ? only : concat(this.#chunks);
  }

  /** Releases the bytes: what listens to a stream may outlive the delivery. */
  clear(): void {
    this.#chunks = [];
    this.#tail = EMPTY;
    this.#used = 0;
  }

  #append(chunk: Uint8Array): void {
    if (this.#used + chunk.byteLength > LAST_TAIL) this.#flush();
    const needed = this.#used + chunk.byteLength;
    if (needed > this.#tail.byteLength) {
      const larger = new Uint8Array(Math.min(LAST_TAIL, Math.max(FIRST_TAIL, 2 * needed)));
      larger.set(this.#tail.subarray(0, this.#used));
      this.#tail = larger;
    }
    this.#tail.set(chunk, this.#used);
    this.#used = needed;
  }

  /** Moves what was gathered to the chunks, as the bytes to come follow it. */
  #flush(): void {
    if (this.#used === 0) return;
    this.#chunks.push(this.#used === this.#tail.byteLength ? this.#tail : this.#tail.slice(0, this.#used));
    this.#tail = EMPTY;
    this.#used = 0;
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
