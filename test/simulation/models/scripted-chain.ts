import type { WebhookEvent } from '../../../src/events/types.js';
import type { Finality, FinalityVerdict } from '../../../src/handle/finality.js';
import type { Process } from '../kernel/process.js';
import type { World } from '../kernel/world.js';

/** What becomes of an event's block, and when (true time). */
interface Fate {
  readonly at: number;
  readonly isDropped: boolean;
}

/** A chain that is only the truth about each event: final or dropped from some time on. */
export class ScriptedChain {
  readonly #world: World;
  readonly #horizonMs: number;
  readonly #fates = new Map<string, Fate>();

  constructor(world: World, horizonMs: number) {
    this.#world = world;
    this.#horizonMs = horizonMs;
  }

  fateOf(id: string): Fate {
    let fate = this.#fates.get(id);
    if (fate === undefined) {
      const { choices } = this.#world;
      fate = { at: choices.below(6) * (this.#horizonMs / 8), isDropped: choices.oneIn(5) };
      this.#fates.set(id, fate);
    }
    return fate;
  }

  /** The chain as a process asks a node. `onPending` gets each event that has to wait. */
  finality(process: Process, onPending: (id: string) => void): Finality {
    const { choices } = this.#world;
    return {
      check: async (events) => {
        await new Promise<void>((resolve) => process.setTimeout(resolve, choices.below(20)));
        const isWell = process.time > this.#horizonMs || !choices.oneIn(16);
        if (!isWell && choices.below(2) === 1) await new Promise(() => {});
        return events.map((event) => {
          if (!isWell) onPending(event.id);
          if (!isWell) return { status: 'pending', retryAfterMs: 200, error: new Error('No node answers.') };
          const verdict = this.#verdict(event, process.time);
          if (verdict.status === 'pending') onPending(event.id);
          return verdict;
        });
      },
    };
  }

  #verdict({ id }: WebhookEvent, time: number): FinalityVerdict {
    const { at, isDropped } = this.fateOf(id);
    if (time < at) return { status: 'pending', retryAfterMs: 100 + this.#world.choices.below(400) };
    return { status: isDropped ? 'dropped' : 'final' };
  }
}
