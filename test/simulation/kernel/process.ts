import type { Connection } from './connection.js';
import { type Timer, Timers } from './timers.js';
import type { World } from './world.js';

/** A time during which a process was frozen, or spent in one turn. */
export interface Pause {
  readonly from: number;
  readonly to: number;
}

/** Ms on the clocks of a process. */
export interface Clocks {
  readonly wall: number;
  readonly monotonic: number;
}

/** The wall clocks begin here, in epoch ms. */
export const EPOCH_MS = 1_767_225_600_000;

/**
 * A process: its turns run one at a time, and it can be frozen between them or in one, killed and started again. It has a
 * wall clock that can be set and a monotonic one. What was begun in an earlier life never runs again.
 */
export class Process {
  /** Counts the starts. */
  life = 0;
  state: 'down' | 'running' | 'paused' = 'down';
  readonly pauses: Pause[] = [];
  /** Times at which it was killed. */
  readonly deaths: number[] = [];
  /** Its open connections. */
  readonly connections = new Set<Connection>();
  /** What its code calls as `fetch`. */
  fetch: ((...args: unknown[]) => Promise<unknown>) | undefined;
  readonly #timers: Timers;
  /** Until when the turn that began last takes, or the process is frozen. */
  #busyUntil = 0;
  /** Whether it reads what has come before it looks at its timers, when it wakes. */
  #readsFirst = false;
  readonly #unread: (() => void)[] = [];
  readonly #overdue: (() => void)[] = [];
  #isWaking = false;
  #wallOffset = 0;
  #monotonicOffset = 0;
  /** A freeze within a turn: at which of its next looks at a clock, and for how long. */
  #stall: { looks: number; readonly ms: number } | undefined;

  constructor(
    readonly world: World,
    readonly name: string,
  ) {
    this.#timers = new Timers(this);
  }

  /** Runs `main` as its first turn. */
  start(main: () => void): void {
    if (this.state !== 'down') throw new Error(`${this.name} has been started already.`);
    this.life++;
    this.state = 'running';
    this.#busyUntil = this.world.now;
    // A process that starts has a monotonic clock that begins anywhere.
    this.#monotonicOffset = this.world.choices.below(3) * 1234.5 - this.world.now;
    this.world.history.add(this.name, 'starts', { life: this.life });
    this.deliver(0, main);
  }

  /** Kills it: timers, deliveries and connections are gone. */
  crash(): void {
    if (this.state === 'down') return;
    this.world.history.add(this.name, 'dies', { life: this.life });
    this.state = 'down';
    this.deaths.push(this.world.now);
    this.#timers.clear();
    this.#unread.length = 0;
    this.#overdue.length = 0;
    this.#isWaking = false;
    this.#stall = undefined;
    for (const connection of [...this.connections]) connection.close();
    this.connections.clear();
  }

  /**
   * Freezes it. What comes meanwhile waits until it wakes, and so do its timers. A machine that sleeps stops its monotonic
   * clock as well.
   */
  pause(ms: number, stopsMonotonic = false): void {
    if (this.state !== 'running') return;
    const { world, life } = this;
    world.history.add(this.name, 'is frozen', { ms: Math.round(ms), stopsMonotonic });
    this.state = 'paused';
    this.#readsFirst = world.choices.below(2) === 1;
    const until = world.now + ms;
    this.pauses.push({ from: world.now, to: until });
    this.#busyUntil = Math.max(this.#busyUntil, until);
    world.after(ms, () => {
      if (this.life !== life || this.state !== 'paused') return;
      this.state = 'running';
      if (stopsMonotonic) this.#monotonicOffset -= ms;
      world.history.add(this.name, 'wakes');
    });
  }

  /** Sets the wall clock. */
  stepClock(ms: number): void {
    this.world.history.add(this.name, 'has its clock set', { ms });
    this.#wallOffset += ms;
  }

  /** True time as the current turn has it: a turn that takes time is ahead of the world. */
  get time(): number {
    return this.world.current === this ? Math.max(this.world.now, this.#busyUntil) : this.world.now;
  }

  /** Freezes it within a turn, right before one of its next looks at a clock. */
  stall(looks: number, ms: number): void {
    this.#stall = { looks, ms };
  }

  /** Epoch ms on its wall clock. */
  wall(): number {
    this.#look();
    return EPOCH_MS + this.time + this.#wallOffset;
  }

  /** Ms on its monotonic clock. */
  monotonic(): number {
    this.#look();
    return this.time + this.#monotonicOffset;
  }

  /** What its clocks show, for an oracle: a look that changes nothing. */
  peek(): Clocks {
    return { wall: EPOCH_MS + this.time + this.#wallOffset, monotonic: this.time + this.#monotonicOffset };
  }

  #look(): void {
    if (this.#stall === undefined || this.world.current !== this || this.#stall.looks-- > 0) return;
    const { ms } = this.#stall;
    this.#stall = undefined;
    this.world.history.add(this.name, 'is frozen within a turn', { ms });
    this.spend(ms);
  }

  /** Lets the current turn take this long: work, or a freeze within the turn. */
  spend(ms: number): void {
    const from = this.time;
    this.#busyUntil = from + ms;
    if (ms >= 1) this.pauses.push({ from, to: from + ms });
  }

  /**
   * Runs `act` as a turn after `ms`, unless the process dies before. From within a turn, `ms` counts from the time that the
   * turn has reached.
   */
  deliver(ms: number, act: () => void): void {
    const { life } = this;
    const delay = this.time - this.world.now + ms;
    this.world.after(delay, () => this.turn(life, act));
  }

  /** Runs a turn of this life now, or once it is no longer frozen or busy. */
  turn(life: number, act: () => void, isTimer = false): void {
    if (this.life !== life || this.state === 'down') return;
    if (!this.#isBusy && !this.#isWaking) {
      this.world.current = this;
      act();
      return;
    }
    (isTimer ? this.#overdue : this.#unread).push(act);
    this.#wakeLater();
  }

  get #isBusy(): boolean {
    return this.state === 'paused' || this.world.now < this.#busyUntil;
  }

  /** What has waited runs one turn a step: either what was read or what is overdue first, each in its order. */
  #wakeLater(): void {
    if (this.#isWaking) return;
    this.#isWaking = true;
    const { life } = this;
    this.world.after(Math.max(0, this.#busyUntil - this.world.now), () => {
      if (this.life !== life) return;
      this.#isWaking = false;
      if (this.state === 'down') return;
      if (!this.#isBusy) {
        const [first, second] = this.#readsFirst ? [this.#unread, this.#overdue] : [this.#overdue, this.#unread];
        const act = first.shift() ?? second.shift();
        this.world.current = this;
        act?.();
      }
      if (this.#overdue.length + this.#unread.length > 0) this.#wakeLater();
    });
  }

  setTimeout(act: () => void, ms: number): Timer {
    return this.#timers.set(act, ms);
  }
}
