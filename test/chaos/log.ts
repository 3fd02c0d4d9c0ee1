import type { Delivery } from './plan.js';

/** One try to deliver. */
export interface Attempt {
  readonly delivery: Delivery;
  readonly receiver: number;
  readonly from: number;
  readonly to: number;
  /** The HTTP status, or what happened instead of an answer. */
  readonly outcome: number | 'down' | 'cut' | 'broken' | 'no answer';
}

/** Something was dead from one time to another. */
export interface Death {
  readonly victim: string;
  /** Of a process: what its effects carry. */
  readonly pid?: number;
  readonly from: number;
  to: number;
}

/** All that happened in a run, with times in ms since the epoch. */
export interface Log {
  readonly attempts: Attempt[];
  readonly deaths: Death[];
  /** How many of what was killed. */
  readonly kills: Record<string, number>;
  /** What the receivers reported to their `onError`. */
  readonly codes: Record<string, number>;
  /** When it was first known of an event that the store had recorded it. */
  readonly recorded: Map<string, number>;
  /** Which process reported of which event that it took too long (`lateBy`). */
  readonly late: Set<string>;
  /** Broken invariants, each with the events that it is about. */
  readonly broken: { readonly what: string; readonly ids: readonly string[] }[];
  /** Processes that ended by themselves, with the last words of each. */
  readonly crashes: { readonly name: string; readonly words: string }[];
}

export function createLog(): Log {
  return {
    attempts: [],
    deaths: [],
    kills: {},
    codes: {},
    recorded: new Map(),
    late: new Set(),
    broken: [],
    crashes: [],
  };
}

export function lateBy(id: string, pid: number | undefined): string {
  return `${id} ${pid}`;
}

export function isAcknowledged({ outcome }: Attempt): boolean {
  return typeof outcome === 'number' && outcome >= 200 && outcome < 300;
}

/** Waits until something is so. Throws when it is not within the time. */
export async function until(what: string, check: () => boolean | Promise<boolean>, withinMs: number): Promise<void> {
  const end = Date.now() + withinMs;
  while (!(await check())) {
    if (Date.now() > end) throw new Error(`Not within ${withinMs} ms: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
