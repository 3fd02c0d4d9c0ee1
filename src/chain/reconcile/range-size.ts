/** Answers before a longer range is tried; doubles with each refusal. */
const PATIENCE = 4;
const MOST_PATIENCE = 64;

/** The number of blocks per request: halved when a node refuses it, doubled after several answers. */
export class RangeSize {
  value: number;
  #patience = PATIENCE;
  #answered = 0;
  /** Whether the size was just doubled. */
  #isProbe = false;

  constructor(private readonly most: number) {
    this.value = most;
  }

  /** A range of `length` blocks, more than one, was refused. */
  refused(length: number): void {
    this.value = Math.floor(length / 2);
    this.#patience = Math.min(MOST_PATIENCE, 2 * this.#patience);
    this.#answered = 0;
    this.#isProbe = false;
  }

  answered(length: number): void {
    // The last range may be shorter and does not count.
    if (length < this.value || this.value === this.most) return;
    this.#answered++;
    if (this.#isProbe) this.#patience = PATIENCE;
    this.#isProbe = this.#answered >= this.#patience;
    if (!this.#isProbe) return;
    this.value = Math.min(this.most, 2 * this.value);
    this.#answered = 0;
  }
}
