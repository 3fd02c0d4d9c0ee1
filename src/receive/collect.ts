import { incomplete, tooLarge } from './request.js';

/** A chunk below this many bytes is copied: the object around it costs more than its bytes do. */
const SMALL = 1024;
/** Sizes of the buffer for small chunks: the first, doubled whenever it is full, up to the last. */
const FIRST_TAIL = 64;
const LAST_TAIL = 16 * 1024;
/** How many times its own size a chunk may keep in memory without being copied. */
const MOST_WASTE = 1.5;
/** A larger body in several chunks is copied into blocks, whose memory is released without the garbage collector. */
const LARGE = 64 * 1024;
const LAST_BLOCK = 1024 * 1024;

const EMPTY = new Uint8Array();

/** Collects a body's bytes as they arrive, up to `maxBodyBytes`, whatever the headers say. */
export class Collector {
  #size = 0;
  #chunks: Uint8Array[] = [];
  #blocks: ArrayBuffer[] = [];
  #tail: Uint8Array = EMPTY;
  #used = 0;
  readonly #maxBodyBytes: number;

  constructor(maxBodyBytes: number) {
    this.#maxBodyBytes = maxBodyBytes;
  }

  /** Throws for a body over the limit, and for a chunk that is not bytes, whose size is unknown. */
  add(chunk: Uint8Array): void {
    if (!ArrayBuffer.isView(chunk) || chunk.BYTES_PER_ELEMENT !== 1)
      throw incomplete('its stream returned something other than bytes');
    const isFirst = this.#size === 0;
    this.#size += chunk.byteLength;
    if (this.#size > this.#maxBodyBytes) throw tooLarge(this.#maxBodyBytes);
    if (this.#size > LARGE && !isFirst) this.#fill(chunk);
    else if (chunk.byteLength < SMALL) this.#append(chunk);
    else this.#keep(chunk);
  }

  /** All bytes, in one array. */
  bytes(): Uint8Array {
    this.#flush();
    const [only] = this.#chunks;
    // Never a block: its memory is released once the body has been read.
    const isWhole = this.#chunks.length === 1 && this.#blocks.length === 0;
    return isWhole && only !== undefined ? only : concat(this.#chunks);
  }

  /** Releases the bytes: stream listeners may outlive the delivery. */
  clear(): void {
    this.#chunks = [];
    this.#tail = EMPTY;
    this.#used = 0;
    for (const block of this.#blocks.splice(0)) release(block);
  }

  #keep(chunk: Uint8Array): void {
    this.#flush();
    // A view retains its whole buffer, and HTTP/2 shares buffers between streams.
    const isWasteful = chunk.buffer.byteLength > MOST_WASTE * chunk.byteLength;
    this.#chunks.push(isWasteful ? new Uint8Array(chunk) : chunk);
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

  #fill(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.byteLength; ) {
      if (this.#used === this.#tail.byteLength) {
        this.#flush();
        const block = releasable(Math.min(LAST_BLOCK, Math.max(LARGE, Math.ceil(this.#size / 4))));
        this.#blocks.push(block);
        this.#tail = new Uint8Array(block, 0, block.byteLength);
      }
      const next = Math.min(chunk.byteLength, at + this.#tail.byteLength - this.#used);
      this.#tail.set(chunk.subarray(at, next), this.#used);
      this.#used += next - at;
      at = next;
    }
  }

  /** Moves the buffered bytes to the chunks, before the next chunk is added. */
  #flush(): void {
    if (this.#used > 0) {
      const part = this.#tail.subarray(0, this.#used);
      // A block has nearly as many bytes, or lives only until the body has been read; a tail is half empty.
      this.#chunks.push(this.#blocks.length > 0 || this.#used === this.#tail.byteLength ? part : part.slice());
    }
    this.#tail = EMPTY;
    this.#used = 0;
  }
}

/** Memory that can be released at once where the runtime has resizable buffers; ordinary memory elsewhere. */
function releasable(bytes: number): ArrayBuffer {
  return new (ArrayBuffer as new (bytes: number, options: object) => ArrayBuffer)(bytes, { maxByteLength: bytes });
}

function release(block: ArrayBuffer): void {
  (block as { resize?: (bytes: number) => void }).resize?.(0);
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
