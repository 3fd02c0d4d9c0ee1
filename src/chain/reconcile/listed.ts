import type { SourceChunk, SourceEntry, SourceOptions } from './source.js';

/** An event of an unordered list, each with its own position. */
export interface Listed extends SourceEntry {
  /** When it happened, in epoch ms; NaN if unknown. */
  readonly at: number;
}

/** About how many events are in memory. */
const MOST_KEPT = 10_000;

/** The readers of a list, one for each run. */
export function createListReaders(
  list: (from: number, signal: AbortSignal) => AsyncIterable<Listed>,
  size = MOST_KEPT,
) {
  const readers = new WeakMap<AbortSignal, ListReader>();
  const readerOf = (signal: AbortSignal, end: number) => new ListReader((from) => list(from, signal), end, size);
  return {
    open: (signal: AbortSignal, end: number) => void readers.set(signal, readerOf(signal, end)),
    read: (from: number, to: number, { signal }: SourceOptions) =>
      (readers.get(signal) ?? readerOf(signal, to)).read(from, to),
  };
}

/**
 * Reads an unordered list as ascending chunks of about `size` events. Reads the whole list for each `size` events and
 * keeps at most twice as many in memory, so that retrying single events takes one listing.
 */
class ListReader {
  /** All events between two positions. */
  #window = { from: 0, kept: [] as Listed[], before: 0 };

  constructor(
    private readonly list: (from: number) => AsyncIterable<Listed>,
    /** The last complete position: later ones may still get events. */
    private readonly end: number,
    private readonly size: number,
  ) {}

  async *read(from: number, to: number): AsyncGenerator<SourceChunk, undefined> {
    if (to > this.end) return yield* new ListReader(this.list, to, this.size).read(from, to);
    for (let next = from; next <= to; ) {
      const { kept, before } = await this.#windowAt(next);
      const last = Math.min(to, before - 1);
      const found = kept.filter(({ position }) => position >= next && position <= last);
      const entries = found.map(({ position, event }) => ({ position, event }));
      yield { to: last, entries, ...(found.length > 0 && { oldestAt: oldestOf(found) }) };
      next = last + 1;
    }
  }

  async #windowAt(next: number) {
    if (this.#window.from <= next && next < this.#window.before) return this.#window;
    let kept: Listed[] = [];
    let before = this.end + 1;
    /** Keeps the events of the lowest positions. */
    const cut = () => {
      kept.sort((a, b) => a.position - b.position);
      before = kept[this.size]?.position ?? before;
      kept = kept.filter(({ position }) => position < before);
    };
    for await (const listed of this.list(next)) {
      if (listed.position >= next && listed.position < before && kept.push(listed) >= 2 * this.size) cut();
    }
    cut();
    this.#window = { from: next, kept, before };
    return this.#window;
  }
}

/** The time of the oldest event; undefined if an event has none. */
function oldestOf(kept: readonly Listed[]): number | undefined {
  const oldest = kept.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY);
  return Number.isNaN(oldest) ? undefined : oldest;
}

/** The earliest time, in epoch ms, ignoring NaN. NaN if there is none. */
export function earliest(...times: readonly unknown[]): number {
  const known = times.map((time) => Date.parse(String(time))).filter((ms) => !Number.isNaN(ms));
  return known.length > 0 ? Math.min(...known) : Number.NaN;
}
