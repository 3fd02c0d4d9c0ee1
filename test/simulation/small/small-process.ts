import { Process } from '../kernel/process.js';
import { Timer } from '../kernel/timers.js';
import type { SmallWorld } from './small-world.js';

const LONGEST_MS = 2 ** 31 - 1;

/**
 * A process of a small world: the search decides when its timers fire, and when it is frozen. Its code depends on what it
 * has observed, and on when its timers are due, so these tell its states apart.
 */
export class SmallProcess extends Process {
  /** What it has observed in this life. Times are in its timers and in the leases. */
  observed = '';
  isFrozen = false;
  frozenAt = 0;
  /** Its runs of the handler that have not settled. */
  readonly running: SmallRunOfHandler[] = [];
  /** The claim that it has heard of last. */
  claim: SmallClaim | undefined;
  readonly #small: SmallWorld;
  readonly #due = new Map<Timer, number>();
  #lastTimer = 0;
  #uuids = 0;

  constructor(world: SmallWorld, name: string) {
    super(world, name);
    this.#small = world;
  }

  get isLive(): boolean {
    return this.state === 'running' && !this.isFrozen;
  }

  /** Starts it, in this step. */
  boot(main: () => void): void {
    this.observed = '';
    this.isFrozen = false;
    this.#lastTimer = 0;
    this.#uuids = 0;
    this.start(main);
  }

  override crash(): void {
    super.crash();
    this.#due.clear();
    this.running.length = 0;
    this.observed = 'dead';
  }

  /** A turn in which it observes something. */
  observe(what: string, act: () => void): void {
    this.observed += `${what};`;
    this.turn(this.life, act);
  }

  override turn(life: number, act: () => void): void {
    if (this.life !== life || this.state === 'down') return;
    this.world.current = this;
    act();
  }

  /** Only at its start: no code of a small world calls `setImmediate`. */
  override deliver(_ms: number, act: () => void): void {
    this.turn(this.life, act);
  }

  override setTimeout(act: () => void, ms: number): Timer {
    const timer = new Timer(++this.#lastTimer, act);
    const whole = ms >= 1 && ms <= LONGEST_MS ? Math.trunc(ms) : 1;
    timer.scheduled = { cancel: () => void this.#due.delete(timer) };
    this.#due.set(timer, this.#small.now + whole);
    return timer;
  }

  /** When its next timer is due. */
  nextDue(): number {
    return Math.min(...this.#due.values());
  }

  /** Fires the timer that is due first, and of those the one that was set first. */
  fireNext(): void {
    const at = this.nextDue();
    const next = [...this.#due].find(([, due]) => due === at);
    if (next === undefined) throw new Error(`${this.name} has no timer.`);
    const [timer] = next;
    this.#due.delete(timer);
    this.observe(`timer ${timer.id}`, () => timer.act?.());
  }

  /** How far away its timers are, in order. */
  timers(): readonly number[] {
    return [...this.#due.values()].map((due) => due - this.#small.now);
  }

  uuid(): string {
    return `${this.name}-${this.life}-${++this.#uuids}`;
  }
}

/** A handler that runs. The search decides how it settles. */
export interface SmallRunOfHandler {
  readonly claim: SmallClaim;
  succeed(): void;
  fail(): void;
}

/** A claim that a store was granted. */
export interface SmallClaim {
  readonly owner: string;
  /** When its lease ends, on the clock of the server. */
  expiresAt: number;
  isReleased: boolean;
  /** Whether the server knows that the event took effect. */
  isRecorded: boolean;
}
