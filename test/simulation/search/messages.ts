import type { Explored } from './exhaustive.js';
import type { Failure } from './play.js';

/** What a thread is asked for. */
export type Request = PlaySeeds | PlayTape | Explore;

/** Plays the schedules of a range of seeds. */
export interface PlaySeeds {
  readonly kind: 'seeds';
  readonly world: string;
  /** Text of the bundle. */
  readonly subject: string;
  readonly first: number;
  readonly count: number;
  /** Ends after this many failures. */
  readonly mostFailures: number;
}

/** Plays the schedule of one tape, and shrinks it if it fails. */
export interface PlayTape {
  readonly kind: 'tape';
  readonly world: string;
  readonly subject: string;
  readonly tape: readonly number[];
  readonly isShrunk: boolean;
}

/** Explores a small world. */
export interface Explore {
  readonly kind: 'explore';
  /** A small world. */
  readonly world: string;
  readonly subject: string;
  readonly depth: number;
}

/** A failing schedule. */
export interface Found {
  readonly seed: number;
  readonly tape: readonly number[];
  readonly failure: Failure;
}

export interface Answer {
  /** Schedules, and the steps of all of them. */
  readonly played: number;
  readonly steps: number;
  readonly found: readonly Found[];
  readonly explored?: Explored | undefined;
}
