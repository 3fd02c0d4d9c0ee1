import type { Trouble } from './chain/chain.js';
import type { FaultKind, Mode, ServerName } from './modes.js';
import type { Random } from './random.js';

/** Where in its work something happens to a process; `now` is wherever it happens to be. */
export type Step =
  | 'now'
  | 'claim-answer'
  | 'before-effect'
  | 'after-check'
  | 'after-effect'
  | 'before-record'
  | 'record-request'
  | 'record-answer'
  | 'after-record'
  | 'in-transaction'
  | FinalityStep
  | Trouble;

/** Steps of modes with finality: of a worker that asks a node, and of what makes good what was lost. */
export type FinalityStep = 'after-verdict' | 'after-wait' | 'after-repair' | 'after-cursor';

const handling: readonly Step[] = ['before-effect', 'after-check', 'after-effect', 'before-record'];
const stepsOf: Readonly<Record<FaultKind, readonly Step[]>> = {
  kill: ['now', ...handling, 'after-record'],
  pause: ['now', 'claim-answer', 'claim-answer', ...handling, 'record-answer'],
  cut: ['now', 'claim-answer', 'record-request', 'record-answer'],
  'half-open': ['now', 'claim-answer', 'record-answer'],
  clock: ['now', 'claim-answer', ...handling],
  sigterm: ['now', ...handling, 'record-request', 'record-answer'],
  session: ['now'],
  node: ['away', 'lag', 'limit'],
};
const stepsOfFinality: Partial<Readonly<Record<FaultKind, readonly FinalityStep[]>>> = {
  kill: ['after-verdict', 'after-wait', 'after-repair', 'after-cursor'],
  pause: ['after-verdict', 'after-wait', 'after-cursor'],
  sigterm: ['after-verdict', 'after-repair'],
};

/** Something that goes wrong. */
export interface Fault {
  readonly kind: FaultKind;
  readonly atMs: number;
  readonly victim: 'receiver' | 'worker' | 'node' | ServerName;
  /** Which of the receivers or workers. */
  readonly index: number;
  readonly step: Step;
  /** How long it is down or paused, or how far its wall clock is off from then on. */
  readonly ms: number;
}

/** What faults are planned from. */
export interface FaultSettings {
  /** Within which all of it happens. */
  readonly spreadMs: number;
  readonly kills: number;
  /** All others, of four receivers: pauses, cuts, half-open connections, clock steps, SIGTERMs. */
  readonly faults: number;
}

export const WORKERS = 2;

export function faultsOf(mode: Mode, { kills, faults, spreadMs }: FaultSettings, random: Random): Fault[] {
  const processes: Fault['victim'][] = mode.engine ? ['receiver', 'worker', 'worker'] : ['receiver'];
  const others = mode.faults.filter((kind) => kind !== 'kill');

  // One after the other, so that they seldom wait for each other.
  const turns = { receiver: random.int(0, mode.receivers - 1), worker: random.int(0, WORKERS - 1) };
  function next(victim: Fault['victim']): number {
    if (victim === 'receiver') return turns.receiver++ % mode.receivers;
    return victim === 'worker' ? turns.worker++ % WORKERS : 0;
  }

  function fault(kind: FaultKind, victim: Fault['victim']): Fault {
    return {
      kind,
      atMs: random.int(Math.ceil(spreadMs * 0.05), Math.ceil(spreadMs * 0.9)),
      victim,
      index: next(victim),
      step: random.pick([...stepsOf[kind], ...((mode.finality && stepsOfFinality[kind]) ?? [])]),
      ms: duration(kind, mode, random),
    };
  }
  const struck = (kind: FaultKind) => fault(kind, kind === 'node' ? 'node' : random.pick(processes));
  // Of each victim one kill, and of each other kind two faults, as far as the numbers go; then at random.
  const certain: Fault['victim'][] = [...new Set([...processes, ...mode.kills])];
  const killed = Array.from({ length: mode.faults.includes('kill') ? kills : 0 }, (_, index) => {
    const some = mode.kills.length > 0 && random.chance(0.2) ? mode.kills : processes;
    return fault('kill', certain[index] ?? random.pick(some));
  });
  const twice = [...others, ...others];
  // One receiver alone is struck one time after the other.
  const many = Math.max(Math.min(faults, twice.length), Math.round((faults * mode.receivers) / 4));
  const rest = Array.from({ length: many }, (_, index) => struck(twice[index] ?? random.pick(['pause', ...others])));
  return [...killed, ...rest].sort((a, b) => a.atMs - b.atMs);
}

/** A pause is as often short as it is longer than the process may be away. */
function duration(kind: FaultKind, mode: Mode, random: Random): number {
  if (kind === 'pause' && random.chance(0.7)) return Math.round(mode.holdMs * (1.05 + random.next() / 2));
  if (kind === 'clock') return Math.round(mode.clockStepMs * (0.3 + random.next())) * random.pick([-1, 1]);
  if (kind === 'node') return random.int(300, 1200);
  return random.int(20, 400);
}
