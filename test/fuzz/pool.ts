import type { Random } from '../chaos/random.js';

/** An input that did something new. */
export interface Entry {
  readonly input: Buffer;
  readonly features: readonly number[];
}

/** A small set of entries that does all that `entries` do: the best of what is left is taken, again and again. */
export function cover(entries: readonly Entry[]): Entry[] {
  const left = new Set(entries.flatMap(({ features }) => features));
  const worth = ({ features, input }: Entry) =>
    features.reduce((sum, each) => sum + (left.has(each) ? 1 : 0), 0) / (input.length + 64);
  const chosen: Entry[] = [];
  // An entry is worth no more than before, so the list is sorted again only where its first one fell.
  const waiting = entries.map((entry) => ({ entry, value: worth(entry) })).sort((a, b) => a.value - b.value);
  for (let best = waiting.pop(); best && left.size > 0; best = waiting.pop()) {
    const value = worth(best.entry);
    if (value === 0) continue;
    if (value < (waiting.at(-1)?.value ?? 0)) {
      const at = waiting.findIndex((each) => each.value > value);
      waiting.splice(at < 0 ? waiting.length : at, 0, { entry: best.entry, value });
      continue;
    }
    chosen.push(best.entry);
    for (const each of best.entry.features) left.delete(each);
  }
  return chosen;
}

/** The inputs to mutate: mostly the smallest that does each thing, so that none dominates. */
export class Pool {
  readonly entries: Entry[] = [];
  #favoured: readonly Entry[] = [];
  #favouredOf = 0;

  add(entry: Entry): void {
    this.entries.push(entry);
  }

  pick(random: Random): Buffer {
    if (this.entries.length === 0) return Buffer.alloc(0);
    // Again only when the pool has grown by a tenth.
    if (this.entries.length > 1.1 * this.#favouredOf) {
      this.#favoured = cover(this.entries);
      this.#favouredOf = this.entries.length;
    }
    if (random.chance(0.25)) return this.entries[Math.max(0, this.entries.length - random.int(1, 16))]?.input as Buffer;
    return random.pick(random.chance(0.8) ? this.#favoured : this.entries).input;
  }
}
