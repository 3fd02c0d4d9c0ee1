import type { Process } from '../kernel/process.js';
import type { World } from '../kernel/world.js';

/** One call of a handler for one event. */
export interface Run {
  readonly id: string;
  readonly key: string;
  readonly process: Process;
  readonly life: number;
  /** True times in ms. The turn in which it began may have been frozen before it began. */
  readonly turnAt: number;
  readonly beganAt: number;
  effectAt: number | undefined;
  endedAt: number | undefined;
  /** How the handler ended. */
  end: 'resolved' | 'rejected' | undefined;
  /** Whether it was told that its time is over. */
  isLate: boolean;
}

/** What truly happened: which handlers ran, and which events took effect. */
export class Ledger {
  readonly runs: Run[] = [];
  readonly #effects = new Map<string, Run[]>();

  constructor(private readonly world: World) {}

  begin(process: Process, id: string, key: string): Run {
    const { life, time } = process;
    const run: Run = {
      ...{ id, key, process, life, turnAt: this.world.now, beganAt: time },
      ...{ effectAt: undefined, endedAt: undefined, end: undefined, isLate: false },
    };
    this.runs.push(run);
    this.world.history.add(process.name, `begins to handle ${id}`);
    return run;
  }

  /** The event takes effect, outside of any transaction. */
  effect(run: Run): void {
    run.effectAt = run.process.time;
    this.world.history.add(run.process.name, `effect of ${run.id}`);
    const effects = this.#effects.get(run.id);
    if (effects) effects.push(run);
    else this.#effects.set(run.id, [run]);
  }

  end(run: Run, end: 'resolved' | 'rejected'): void {
    run.endedAt = run.process.time;
    run.end = end;
    this.world.history.add(run.process.name, `handler of ${run.id} ${end}`);
  }

  /** The runs in which the event took effect, in order. */
  effectsOf(id: string): readonly Run[] {
    return this.#effects.get(id) ?? [];
  }

  /** The runs in which events took effect, by event. */
  get allEffects(): ReadonlyMap<string, readonly Run[]> {
    return this.#effects;
  }

  /** Each event of a delivery that is answered 200 has taken effect. */
  acknowledged(events: readonly { readonly id: string }[], { status }: { readonly status: number }): void {
    for (const { id } of status === 200 ? events : []) {
      if (!this.#effects.has(id)) this.world.fail('acknowledged without effect', `${id} has not taken effect.`);
    }
  }

  /** Whether a run is still under way: its process lives and its handler has not settled. */
  isRunning({ process, life, endedAt }: Run): boolean {
    return endedAt === undefined && process.life === life && process.state !== 'down';
  }
}
