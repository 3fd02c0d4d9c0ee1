/** A growing byte buffer. Throws beyond a limit, before it allocates the memory. */
export class ByteSink {
  #bytes: Uint8Array;
  #length = 0;
  readonly #limit: number;

  /** @param expected Probable number of bytes. */
  constructor(expected: number, limit: number = expected) {
    this.#bytes = new Uint8Array(expected);
    this.#limit = limit;
  }

  push(byte: number): void {
    if (this.#length === this.#bytes.length) this.#grow(1);
    this.#bytes[this.#length++] = byte;
  }

  fill(byte: number, count: number): void {
    this.#grow(count);
    this.#bytes.fill(byte, this.#length, this.#length + count);
    this.#length += count;
  }

  append(bytes: Uint8Array, start = 0, end: number = bytes.length): void {
    this.#grow(end - start);
    // Most tokens are a few bytes, for which a loop is faster than set().
    for (let at = start; at < end; at++) this.#bytes[this.#length++] = bytes[at] as number;
  }

  ascii(text: string): void {
    for (let at = 0; at < text.length; at++) this.push(text.charCodeAt(at));
  }

  /** A code point in UTF-8. */
  point(point: number): void {
    if (point < 0x80) {
      this.push(point);
      return;
    }
    if (point < 0x800) this.push(0xc0 | (point >> 6));
    else {
      if (point < 0x10000) this.push(0xe0 | (point >> 12));
      else {
        this.push(0xf0 | (point >> 18));
        this.push(0x80 | ((point >> 12) & 0x3f));
      }
      this.push(0x80 | ((point >> 6) & 0x3f));
    }
    this.push(0x80 | (point & 0x3f));
  }

  done(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(count: number): void {
    const length = this.#length + count;
    if (length > this.#limit) throw new RangeError(`longer than ${this.#limit} bytes`);
    if (length <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(length, Math.min(2 * this.#bytes.length, this.#limit)));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
