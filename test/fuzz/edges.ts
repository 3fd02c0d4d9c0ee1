/** How often a branch ran in one input, in eight classes: more often is another behaviour. */
function classOf(count: number): number {
  if (count < 4) return count - 1;
  return count < 8 ? 3 : count < 16 ? 4 : count < 32 ? 5 : count < 128 ? 6 : 7;
}

/** The counters of the branches of the code, and what has been seen of them. */
export class Edges {
  readonly #counts: Uint32Array;
  readonly #seen: Uint8Array;

  /** @param counts The array that the code counts in, and the number of those that it uses. */
  constructor(counts: Uint32Array, used: number) {
    this.#counts = counts.subarray(0, used);
    this.#seen = new Uint8Array(used);
  }

  reset(): void {
    this.#counts.fill(0);
  }

  /** Whether the input since `reset` did what none did before, which then counts as seen. */
  isNew(): boolean {
    let isNew = false;
    const [counts, seen] = [this.#counts, this.#seen];
    for (let at = 0; at < counts.length; at++) {
      const count = counts[at] as number;
      if (count === 0) continue;
      const bit = 1 << classOf(count);
      if (((seen[at] as number) & bit) !== 0) continue;
      seen[at] = (seen[at] as number) | bit;
      isNew = true;
    }
    return isNew;
  }

  /** What the input since `reset` did: branches with the class of their counts. */
  features(): number[] {
    const features: number[] = [];
    for (const [at, count] of this.#counts.entries()) if (count > 0) features.push(at * 8 + classOf(count));
    return features;
  }

  /** How many branches have ever run. */
  get covered(): number {
    return this.#seen.reduce((sum, bits) => sum + (bits > 0 ? 1 : 0), 0);
  }
}
