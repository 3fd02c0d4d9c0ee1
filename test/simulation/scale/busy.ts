import type { World } from '../kernel/world.js';

/** The cores of a server: each works on one thing at a time, what comes meanwhile waits in order. */
export class Cores {
  /** Time that the cores have worked, in ms. */
  workedMs = 0;
  readonly #world: World;
  /** When each core is free. */
  readonly #freeAt: number[];

  constructor(world: World, count: number) {
    this.#world = world;
    this.#freeAt = new Array(count).fill(0);
  }

  /** Calls `then` when a core has worked on this for `ms`. */
  work(ms: number, then: () => void): void {
    const { now } = this.#world;
    let first = 0;
    for (let core = 1; core < this.#freeAt.length; core++) {
      if ((this.#freeAt[core] as number) < (this.#freeAt[first] as number)) first = core;
    }
    const end = Math.max(now, this.#freeAt[first] as number) + ms;
    this.#freeAt[first] = end;
    this.workedMs += ms;
    this.#world.after(end - now, then);
  }
}

/** A log on a disk: one flush at a time, which makes durable all that was written before it began. */
export class Log {
  readonly #world: World;
  readonly #flushMs: number;
  #waiting: (() => void)[] = [];
  #isFlushing = false;

  constructor(world: World, flushMs: number) {
    this.#world = world;
    this.#flushMs = flushMs;
  }

  /** Calls `then` when what was written before is durable. */
  flush(then: () => void): void {
    this.#waiting.push(then);
    if (!this.#isFlushing) this.#begin();
  }

  #begin(): void {
    const batch = this.#waiting;
    this.#waiting = [];
    this.#isFlushing = true;
    this.#world.after(this.#flushMs, () => {
      this.#isFlushing = false;
      for (const then of batch) then();
      if (this.#waiting.length > 0) this.#begin();
    });
  }
}

/** A limited number of places, such as the connections of a pooler: who comes first gets the next one. */
export class Places {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  take(then: () => void): void {
    if (this.#free > 0) {
      this.#free--;
      then();
    } else this.#waiting.push(then);
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}
