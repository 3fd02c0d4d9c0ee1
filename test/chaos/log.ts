import { monotonic, sleep } from './clock.js';
import type { Step } from './faults.js';
import type { CursorMove, Reconciled, Start } from './messages.js';
import type { FaultKind } from './modes.js';
import type { Delivery } from './plan.js';

/** One try to deliver. */
export interface Attempt {
  readonly delivery: Delivery;
  readonly receiver: number;
  /** The process that it went to. */
  readonly pid?: number | undefined;
  readonly from: number;
  readonly to: number;
  /** When the whole request had been handed to the system. */
  readonly written?: number | undefined;
  /** The HTTP status, or what happened instead of an answer. */
  readonly outcome: number | 'down' | 'cut' | 'unread' | 'broken' | 'no answer';
  /** Whether the answer announced that the connection closes. */
  readonly closes?: boolean | undefined;
}

/** Something was dead, stopped or cut off from one time to another. */
export interface Outage {
  readonly kind: FaultKind;
  readonly victim: string;
  /** Of a process: what its effects carry. */
  readonly pid?: number | undefined;
  readonly from: number;
  to: number;
}

/** A process that was told to end by SIGTERM. */
export interface Ending {
  readonly draining: number;
  closing?: number;
  unfinished?: number;
}

/** A handler ended the transaction of its store. */
export interface Ended {
  readonly pid: number;
  readonly claimed: number;
  readonly at: number;
  /** The handler has returned or thrown. */
  isOver: boolean;
}

/** All that happened in a run, with times of the monotonic clock in ms. */
export class Log {
  readonly attempts: Attempt[] = [];
  readonly outages: Outage[] = [];
  /** Each fault, and where it struck. */
  readonly faults: { readonly kind: FaultKind; readonly victim: string; readonly step: Step }[] = [];
  /** What the receivers reported to their `onError`. */
  readonly codes: Record<string, number> = {};
  /** When it was first known of an event that the store had recorded it. */
  readonly recorded: Map<string, number> = new Map();
  /** Which process reported of which event that it took too long (`byProcess`). */
  readonly late: Set<string> = new Set();
  /** When handlers began. */
  readonly starts: (Start & { readonly id: string })[] = [];
  /** Whose transaction a handler ended. */
  readonly ended: Map<string, Ended> = new Map();
  /** Handlers that went past their time limit. */
  readonly overruns: { readonly pid: number; readonly ids: readonly string[]; readonly claimed: number }[] = [];
  /** What handlers did wrong, and the deadlocks that they met. */
  readonly misuses: string[] = [];
  /** Of which events a receiver reported that their outcome is unknown. */
  readonly unknown: Set<string> = new Set();
  /** Keys that were left open and settled by hand, with how many parts of the effect there were. */
  readonly settled: { readonly id: string; readonly at: number; readonly parts: number }[] = [];
  /** What was acknowledged before all of its effect was there. */
  readonly early: Set<string> = new Set();
  /** What `onDropped` was told, and when. */
  readonly dropped: { readonly id: string; readonly at: number }[] = [];
  readonly cursors: CursorMove[] = [];
  /** Which process handled which event that was read from the chain (`byProcess`). */
  readonly madeGood: Set<string> = new Set();
  /** When a process told what it had read from the chain and handled. */
  readonly told: { readonly pid: number; readonly at: number }[] = [];
  readonly reconciled: Reconciled[] = [];
  /** By process. */
  readonly endings: Map<number, Ending> = new Map();
  /** Broken invariants, each with the events that it is about. */
  readonly broken: { readonly what: string; readonly ids: readonly string[] }[] = [];
  /** Processes that ended by themselves, with the last words of each. */
  readonly crashes: { readonly name: string; readonly words: string }[] = [];
}

export function byProcess(id: string, pid: number | undefined): string {
  return `${id} ${pid}`;
}

export function isAcknowledged({ outcome }: Attempt): boolean {
  return typeof outcome === 'number' && outcome >= 200 && outcome < 300;
}

/** Waits until nothing is wrong any more. Notes what still is when the time is over. */
export async function soon(
  log: Pick<Log, 'broken'>,
  withinMs: number,
  wrong: () => string | undefined | Promise<string | undefined>,
): Promise<void> {
  const end = monotonic() + withinMs;
  for (let what = await wrong(); what !== undefined; what = await wrong()) {
    if (monotonic() > end) return void log.broken.push({ what, ids: [] });
    await sleep(20);
  }
}
