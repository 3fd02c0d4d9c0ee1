import { EPOCH_MS } from './process.js';
import type { World } from './world.js';

/** A server: handles one message at a time, at once. It can freeze, and its clock can be set. */
export class Server {
  isUp = true;
  #wallOffset = 0;
  #frozenUntil = 0;
  readonly #onStop: (() => void)[] = [];

  constructor(
    readonly world: World,
    readonly name: string,
  ) {}

  /** Epoch ms on its clock. */
  wall(): number {
    return EPOCH_MS + this.world.now + this.#wallOffset;
  }

  stepClock(ms: number): void {
    this.world.history.add(this.name, 'has its clock set', { ms });
    this.#wallOffset += ms;
  }

  /** Messages that come meanwhile wait. */
  freeze(ms: number): void {
    const { now } = this.world;
    this.world.history.add(this.name, 'is frozen', { ms: Math.round(ms) });
    this.#frozenUntil = Math.max(this.#frozenUntil, now + ms);
  }

  /** Called when it stops, before its connections close. */
  onStop(listener: () => void): void {
    this.#onStop.push(listener);
  }

  /** It loses its connections, and what has not reached it. */
  stop(): void {
    if (!this.isUp) return;
    this.world.history.add(this.name, 'stops');
    this.isUp = false;
    for (const listener of this.#onStop) listener();
  }

  /** Stops for so long. */
  stopFor(ms: number): void {
    this.stop();
    this.world.after(ms, () => this.restart());
  }

  restart(): void {
    if (this.isUp) return;
    this.world.history.add(this.name, 'starts');
    this.isUp = true;
  }

  /** Runs `act` now, or when it is no longer frozen. Messages keep their order. */
  serve(act: () => void): void {
    const wait = this.#frozenUntil - this.world.now;
    if (wait > 0) this.world.after(wait, () => this.serve(act));
    else act();
  }
}
