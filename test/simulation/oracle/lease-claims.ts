import type { Clocks, Process } from '../kernel/process.js';
import type { Run } from './ledger.js';

/** What a lease store asks of its server. */
export type LeaseCall = 'claim' | 'record' | 'release';

/** One try to record that a key took effect. */
export interface RecordTry {
  readonly askedAt: number;
  /** When the process was told that it failed. */
  failedAt: number | undefined;
}

/** A key claimed by one owner, with all that is known of it: by the server, by the network and by the process. */
export class Claim {
  readonly life: number;
  /** When the process asked for it: true time, and what its clocks showed. */
  readonly askedAt: number;
  readonly askedOn: Clocks;
  /** When the server gave it the key: true times, and those of its clock. A client that repeats the claim is given it again. */
  readonly grants: { readonly at: number; readonly wall: number }[] = [];
  /** Whether its lease has been over on the clock of the server since it was granted last. */
  isOver = false;
  /** The claims whose lease was not over when the server gave it the key. */
  readonly robbed = new Set<Claim>();
  /** What the process was told; undefined before. */
  told: 'claimed' | 'refused' | 'failed' | undefined;
  token: bigint | undefined;
  run: Run | undefined;
  releaseAskedAt: number | undefined;
  /** When the server released it last. */
  releasedAt: number | undefined;
  /** Whether that was after it was granted last: a frozen server serves what waited for it in one millisecond. */
  isReleased = false;
  readonly recordTries: RecordTry[] = [];
  recordedAt: number | undefined;
  /** When the server refused the record, because another owner has the key. */
  recordRefusedAt: number | undefined;

  /** A process asks for it now. */
  constructor(
    readonly process: Process,
    readonly key: string,
    readonly owner: string,
  ) {
    this.life = process.life;
    this.askedAt = process.time;
    this.askedOn = process.peek();
  }
}

/** Whether its handler has resolved, and the server has neither taken nor refused the record. */
export function isUnrecorded({ run, recordedAt, recordRefusedAt }: Claim): boolean {
  return run?.end === 'resolved' && recordedAt === undefined && recordRefusedAt === undefined;
}

/** Ms on the clock of the server since it gave a claim the key last. */
export function heldFor({ grants }: Claim, wall: number): number {
  const last = grants.at(-1);
  return last === undefined ? Number.POSITIVE_INFINITY : wall - last.wall;
}

/** Whether the process of a claim still lives the life in which it asked. */
export function isAlive({ process, life }: Claim): boolean {
  return process.life === life && process.state !== 'down';
}

/** For how long a process was frozen or busy between two true times. */
export function frozenMs(process: Process, from: number, to: number): number {
  let sum = 0;
  for (const pause of process.pauses) sum += Math.max(0, Math.min(pause.to, to) - Math.max(pause.from, from));
  return sum;
}

/** Whether a run of a process may belong to a claim: it was told that it has the key, and has not begun or released it. */
export function canBegin({ process, life, told, run, releaseAskedAt }: Claim, begun: Run): boolean {
  const isOwn = process === begun.process && life === begun.life;
  return isOwn && told === 'claimed' && run === undefined && releaseAskedAt === undefined;
}
