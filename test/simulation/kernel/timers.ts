import type { Process } from './process.js';
import type { Scheduled } from './world.js';

/** What `setTimeout` returns. */
export class Timer {
  act: (() => void) | undefined;
  scheduled: Scheduled | undefined;

  constructor(
    readonly id: number,
    act: () => void,
  ) {
    this.act = act;
  }

  ref(): this {
    return this;
  }

  /** Nothing ends a simulated process for want of work. */
  unref(): this {
    return this;
  }

  clear(): void {
    this.act = undefined;
    this.scheduled?.cancel();
  }

  [Symbol.toPrimitive](): number {
    return this.id;
  }
}

const LONGEST_MS = 2 ** 31 - 1;

/**
 * The timers of a process, by Node's rules: whole milliseconds, at least one; counted from a clock without fractions, so
 * that one may fire up to a millisecond early; late if the process is frozen.
 */
export class Timers {
  readonly #active = new Set<Timer>();
  #lastId = 0;

  constructor(private readonly process: Process) {}

  set(act: () => void, ms: number): Timer {
    const { world, life } = this.process;
    const timer = new Timer(++this.#lastId, act);
    const whole = ms >= 1 && ms <= LONGEST_MS ? Math.trunc(ms) : 1;
    const now = this.process.time;
    const due = Math.floor(now) + whole;
    this.#active.add(timer);
    timer.scheduled = world.after(Math.max(0, due - world.now), () =>
      this.process.turn(
        life,
        () => {
          this.#active.delete(timer);
          const run = timer.act;
          timer.act = undefined;
          run?.();
        },
        true,
      ),
    );
    return timer;
  }

  clear(): void {
    for (const timer of this.#active) timer.clear();
    this.#active.clear();
  }
}
