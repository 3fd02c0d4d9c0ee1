import { createHash } from 'node:crypto';

/** Numbers that look like chance, and are the same again for the same seed. */
export class Random {
  #drawn = 0;

  constructor(private readonly seed: string) {}

  /** A number of so many bits, 256 at most. */
  bits(count: number): bigint {
    const hash = createHash('sha256')
      .update(`${this.seed} ${this.#drawn++}`)
      .digest('hex');
    return BigInt.asUintN(count, BigInt(`0x${hash}`));
  }

  /** A whole number from 0 up to, and without, the limit. */
  below(limit: number): number {
    return Number(this.bits(48) % BigInt(limit));
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  shuffled<Item>(items: readonly Item[]): Item[] {
    const places = items.map((item) => ({ item, place: this.bits(64) }));
    return places.sort((a, b) => (a.place < b.place ? -1 : 1)).map(({ item }) => item);
  }
}
