/** Entries in the order in which they came, and a way to wait for them. */
export class Log<T> {
  readonly entries: T[] = [];
  readonly #waiting = new Set<() => void>();

  add(entry: T): void {
    this.entries.push(entry);
    for (const wake of this.#waiting) wake();
  }

  /** Resolves when there are this many entries. */
  async reaches(count: number): Promise<void> {
    while (this.entries.length < count) {
      await new Promise<void>((wake) => {
        this.#waiting.add(wake);
      });
    }
  }
}

/** A promise and what resolves it. */
export function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
