import type { Process } from '../kernel/process.js';
import type { World } from '../kernel/world.js';

interface Calls {
  readonly life: number;
  waiting: number;
  isAnswered: boolean;
  silentSince: number;
  lastSilentAt: number | undefined;
}

/**
 * When a store may have refused to send, because its client had not answered for half of `timeoutMs`. Counted in true time,
 * of which no clock of a process shows more.
 */
export class Silence {
  readonly #calls = new Map<Process, Calls>();

  /** `timeoutMs` is infinite for a store that does not refuse. */
  constructor(
    private readonly world: World,
    private readonly timeoutMs: number,
  ) {}

  /** Notes a call. Returns what to call when the process is told of its end. */
  asked(process: Process): () => void {
    let calls = this.#calls.get(process);
    if (calls?.life !== process.life) {
      calls = { life: process.life, waiting: 0, isAnswered: true, silentSince: 0, lastSilentAt: undefined };
      this.#calls.set(process, calls);
    }
    // The store may have looked at its clock before a freeze within this turn.
    if (calls.isAnswered) calls.silentSince = this.world.now;
    calls.isAnswered = false;
    calls.waiting++;
    const noted = calls;
    return () => {
      noted.isAnswered = true;
      noted.waiting--;
    };
  }

  /** Called after every step. */
  note(): void {
    for (const [process, calls] of this.#calls) {
      const { now } = this.world;
      const pause = process.pauses.at(-1);
      // Or after it.
      const until = pause && pause.from >= now ? pause.to : now;
      const isSilent = calls.waiting > 0 && !calls.isAnswered && until - calls.silentSince > this.timeoutMs / 2;
      if (isSilent) calls.lastSilentAt = until;
    }
  }

  /** When the store of a process may have refused to send for the last time. */
  lastOf(process: Process): number {
    return this.#calls.get(process)?.lastSilentAt ?? Number.NEGATIVE_INFINITY;
  }
}
