/** Counts, means and squared deviations of one class, updated value by value (Welford). */
class Moments {
  count = 0;
  mean = 0;
  #squares = 0;

  add(value: number): void {
    this.count++;
    const difference = value - this.mean;
    this.mean += difference / this.count;
    this.#squares += difference * (value - this.mean);
  }

  /** Variance of the mean. */
  get error(): number {
    return this.#squares / (this.count - 1) / this.count;
  }
}

/** Welch's t of two classes, for values that are not larger than `limit`. */
class Test {
  readonly #classes = [new Moments(), new Moments()] as const;

  constructor(readonly limit: number) {}

  add(which: 0 | 1, value: number): void {
    if (value <= this.limit) this.#classes[which].add(value);
  }

  get t(): number {
    const [a, b] = this.#classes;
    if (Math.min(a.count, b.count) < 2) return 0;
    const difference = a.mean - b.mean;
    return difference === 0 ? 0 : difference / Math.sqrt(a.error + b.error);
  }
}

const CROPS = 20;

/** Limits that keep 29 % to 99.9 % of the times, closer together near the top, as dudect chooses them; and no limit. */
function limitsOf(times: Float64Array): number[] {
  const sorted = times.toSorted();
  const limits = Array.from({ length: CROPS }, (_, at) => {
    const kept = 1 - 0.5 ** ((10 * (at + 1)) / CROPS);
    return sorted[Math.floor(kept * (sorted.length - 1))] ?? 0;
  });
  return [...limits, Number.POSITIVE_INFINITY];
}

/**
 * Whether two classes of calls take the same time. A few slow calls (interrupts, garbage collection) hide a small
 * difference, so the times are cropped at several limits, and the test that sees most counts.
 */
export class TimingTest {
  readonly #tests: readonly Test[];

  /** @param sample Times of either class, which set the limits and are not counted. */
  constructor(sample: Float64Array) {
    this.#tests = limitsOf(sample).map((limit) => new Test(limit));
  }

  add(which: 0 | 1, time: number): void {
    for (const test of this.#tests) test.add(which, time);
  }

  /** The largest |t| of all limits. Above 4.5, the classes differ. */
  get worst(): number {
    return Math.max(...this.#tests.map(({ t }) => Math.abs(t)));
  }
}

/** The limit of |t| of dudect (Reparaz, Balasch and Verbauwhede, 2017). */
export const LIMIT = 4.5;
