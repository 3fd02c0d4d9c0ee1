import type { Process } from './process.js';
import type { Server } from './server.js';
import type { World } from './world.js';

export interface FaultPlan {
  /** Starts a process again that was dead for a while. */
  readonly replicas: { readonly processes: readonly Process[]; start(process: Process): void };
  readonly servers?: readonly Server[] | undefined;
  /** No fault begins after this time, and all are over a little later. */
  readonly horizonMs: number;
  /** How many faults there are at most. */
  readonly most: number;
  /** The length of a long pause: beyond the lease. */
  readonly longMs: number;
  /** Faults of this world alone. */
  readonly others?: readonly (() => void)[] | undefined;
  readonly kinds: readonly FaultKind[];
}

export type FaultKind =
  | 'crash'
  | 'pause'
  | 'sleep'
  | 'stall'
  | 'clock'
  | 'cut'
  | 'half open'
  | 'server pause'
  | 'server clock';

/** Plans the faults of a schedule. The tamest choice is none. */
export function planFaults(world: World, plan: FaultPlan): void {
  const { choices } = world;
  const { replicas, servers = [], horizonMs, most, longMs, kinds, others = [] } = plan;

  function length(): number {
    const factor = choices.pick([0.05, 0.3, 0.9, 1.1, 1.5, 2.5]);
    return Math.round(longMs * factor) + choices.below(20);
  }

  function strike(kind: FaultKind): void {
    const process = choices.pick(replicas.processes);
    if (kind === 'crash') {
      if (process.state === 'down') return;
      process.crash();
      world.after(1 + length() / 4, () => {
        if (process.state === 'down') replicas.start(process);
      });
    } else if (kind === 'pause' || kind === 'sleep') process.pause(length(), kind === 'sleep');
    else if (kind === 'stall') process.stall(choices.below(12), length());
    else if (kind === 'clock') process.stepClock((choices.below(2) === 0 ? 1 : -1) * length());
    else if (kind === 'cut' || kind === 'half open') {
      const open = [...process.connections];
      if (open.length === 0) return;
      const connection = choices.pick(open);
      if (kind === 'cut') connection.cut();
      else connection.halfOpen();
    } else if (servers.length > 0) {
      const server = choices.pick(servers);
      if (kind === 'server pause') server.freeze(length());
      else server.stepClock((choices.below(2) === 0 ? 1 : -1) * length());
    }
  }

  const count = choices.below(most + 1);
  for (let fault = 0; fault < count; fault++) {
    const at = choices.between(0, horizonMs);
    const own = choices.below(kinds.length + others.length);
    world.after(at, () => {
      const other = others[own - kinds.length];
      if (other) other();
      else strike(kinds[own] as FaultKind);
    });
  }
}
