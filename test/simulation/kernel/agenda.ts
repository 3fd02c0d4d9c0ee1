/** Something that will happen. */
export interface Due {
  at: number;
  /** Breaks ties: what was added first happens first. */
  order: number;
  act: (() => void) | undefined;
}

/** What will happen, by time: a binary heap. */
export class Agenda {
  readonly #heap: Due[] = [];
  #order = 0;

  get size(): number {
    return this.#heap.length;
  }

  add(at: number, act: () => void): Due {
    const due: Due = { at, order: this.#order++, act };
    const heap = this.#heap;
    let index = heap.push(due) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent] as Due;
      if (!isBefore(due, above)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = due;
    return due;
  }

  /** Takes the next that was not cancelled; undefined if there is none. */
  next(): Due | undefined {
    for (;;) {
      const due = this.#pop();
      if (due === undefined || due.act !== undefined) return due;
    }
  }

  #pop(): Due | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Due, heap[child] as Due)) child++;
      if (!isBefore(heap[child] as Due, last)) break;
      heap[index] = heap[child] as Due;
      index = child;
    }
    heap[index] = last;
    return first;
  }
}

function isBefore(one: Due, other: Due): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
