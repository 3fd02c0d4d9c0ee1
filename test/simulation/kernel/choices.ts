/**
 * Where every decision of a schedule comes from: a seed, or a tape of what was chosen before. 0 is always the tamest
 * decision, so that a tape can be shrunk towards a schedule without faults.
 */
export class Choices {
  readonly #tape: number[] = [];

  constructor(private readonly next: (options: number) => number) {}

  static ofSeed(seed: number): Choices {
    const random = randomOf(seed);
    return new Choices((options) => Math.floor(random() * options));
  }

  /** Beyond the end of the tape every choice is 0; a choice that is too large for its options is taken modulo them. */
  static ofTape(tape: readonly number[]): Choices {
    let at = 0;
    return new Choices((options) => (tape[at++] ?? 0) % options);
  }

  /** What was chosen so far. */
  get tape(): readonly number[] {
    return this.#tape;
  }

  /** 0 … options - 1. Not recorded if there is only one. */
  below(options: number): number {
    if (options <= 1) return 0;
    const chosen = this.next(options);
    this.#tape.push(chosen);
    return chosen;
  }

  /** Whether something happens that is the exception. */
  oneIn(options: number): boolean {
    return this.below(options) === options - 1;
  }

  /** A whole number; 0 chooses the least. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  /** 0 chooses the first. */
  pick<T>(all: readonly T[]): T {
    if (all.length === 0) throw new RangeError('Nothing to pick from.');
    return all[this.below(all.length)] as T;
  }

  /** How long a message takes, in ms: mostly 0.1 to 2, sometimes up to 100, rarely longer than any time limit. */
  latency(): number {
    const chosen = this.below(1000);
    if (chosen === 0) return 0.5;
    if (chosen < 900) return 0.1 + (chosen * 1.9) / 900;
    if (chosen < 985) return 2 + (chosen - 900) * 1.2;
    return 104 + (chosen - 985) * 60;
  }
}

/** sfc32: fast, and good enough for seeds that follow one another. */
function randomOf(seed: number): () => number {
  let a = 0x9e3779b9 ^ seed;
  let b = 0x243f6a88 ^ Math.floor(seed / 2 ** 32);
  let c = 0xb7e15162;
  let counter = 1;
  const next = () => {
    const t = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t;
    c |= 0;
    return (t >>> 0) / 2 ** 32;
  };
  for (let round = 0; round < 12; round++) next();
  return next;
}
