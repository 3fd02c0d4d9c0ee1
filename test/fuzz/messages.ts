import { createHash } from 'node:crypto';

/** What a thread is started with. */
export interface Request {
  readonly seed: number;
  /** It ends at the first of these limits. With 0 it runs the seeds and the corpus alone. */
  readonly seconds: number;
  readonly executions: number;
  readonly corpus: readonly Uint8Array[];
  readonly edges: number;
  readonly words: readonly string[];
  readonly shared: SharedArrayBuffer;
}

/** An input for which the property does not hold. */
export interface Found {
  readonly kind: 'finding';
  readonly message: string;
  readonly stack: string;
  readonly input: Uint8Array;
}

/** What a thread tells. */
export type Message =
  | Found
  | { readonly kind: 'broken'; readonly message: string }
  | { readonly kind: 'ready'; readonly mostMs: number }
  | { readonly kind: 'entry'; readonly input: Uint8Array }
  | Done;

/** The end of a thread. */
export interface Done {
  readonly kind: 'done';
  readonly executions: number;
  readonly covered: number;
  /** The smallest set of inputs that runs all branches that have run. */
  readonly corpus: readonly Uint8Array[];
}

/** Room for the largest input in shared memory. */
export const MOST_BYTES = 1 << 16;
const HEADER = 3;

/** The input that a thread runs, in memory that outlives it. */
export class Progress {
  readonly #header: Int32Array;
  readonly #bytes: Uint8Array;

  constructor(shared = new SharedArrayBuffer(4 * HEADER + MOST_BYTES)) {
    this.#header = new Int32Array(shared, 0, HEADER);
    this.#bytes = new Uint8Array(shared, 4 * HEADER);
  }

  get shared(): SharedArrayBuffer {
    return this.#header.buffer as SharedArrayBuffer;
  }

  begin(input: Uint8Array): void {
    this.#bytes.set(input);
    this.#header[2] = input.length;
    this.#header[1] = 1;
    this.#header[0] = this.executions + 1;
  }

  end(): void {
    this.#header[1] = 0;
  }

  get executions(): number {
    return Atomics.load(this.#header, 0);
  }

  /** The input that runs now, or ran last. */
  get input(): Buffer {
    return Buffer.from(this.#bytes.slice(0, Atomics.load(this.#header, 2)));
  }

  get isRunning(): boolean {
    return Atomics.load(this.#header, 1) === 1;
  }
}

/** A short name of an input, for its file. */
export const digest = (input: Uint8Array): string => createHash('sha256').update(input).digest('hex').slice(0, 8);
