import type { OpenSource, SourceEntry } from './source.js';

/** An event of an unordered list, each with its own position. */
export interface Listed extends SourceEntry {
  /** When it happened, in epoch ms; NaN if unknown. */
  readonly at: number;
}

/** About how many events are in memory. */
const MOST_KEPT = 10_000;

/**
 * Reads an unordered list as ascending chunks of about `size` events. Reads the whole list for each `size` events and
 * keeps at most twice as many in memory, so that retrying single events takes one listing.
 *
 * @param list Lists the events from a position on.
 * @param end The last complete position: later ones may still get events.
 */
export function readerOf(
  list: (from: number) => AsyncIterable<Listed>,
  end: number,
  size = MOST_KEPT,
): OpenSource['read'] {
  /** All events from one position, and before another. */
  let window = { from: 0, kept: [] as Listed[], before: 0 };

  async function windowAt(next: number) {
    if (window.from <= next && next < window.before) return window;
    let kept: Listed[] = [];
    let before = end + 1;
    /** Keeps the events of the lowest positions. */
    const cut = () => {
      kept.sort((a, b) => a.position - b.position);
      before = kept[size]?.position ?? before;
      kept = kept.filter(({ position }) => position < before);
    };
    for await (const listed of list(next)) {
      if (listed.position >= next && listed.position < before && kept.push(listed) >= 2 * size) cut();
    }
    cut();
    window = { from: next, kept, before };
    return window;
  }

  return async function* (from, to) {
    for (let next = from; next <= to; ) {
      const { kept, before } = await windowAt(next);
      const last = Math.min(to, before - 1);
      const entries = kept.filter(({ position }) => position >= next && position <= last);
      const oldest = Math.min(...entries.map(({ at }) => at));
      yield { to: last, entries, oldestAt: Number.isFinite(oldest) ? oldest : undefined };
      next = last + 1;
    }
  };
}

/** The earliest time, in epoch ms, ignoring NaN. NaN if there is none. */
export function earliest(...times: readonly unknown[]): number {
  const known = times.map((time) => Date.parse(String(time))).filter((ms) => !Number.isNaN(ms));
  return known.length > 0 ? Math.min(...known) : Number.NaN;
}
