import type { Explored } from './exhaustive.js';
import type { Failure } from './play.js';

/** What a thread is asked for. */
export type Request = PlaySeeds | PlayTape | Explore;

interface OfWorld {
  readonly world: string;
  /** Text of the bundle. */
  readonly subject: string;
}

/** Plays the schedules of a range of seeds, until one fails. */
export interface PlaySeeds extends OfWorld {
  readonly kind: 'seeds';
  readonly first: number;
  readonly count: number;
}

/** Plays the schedule of one tape, and shrinks it if it fails. */
export interface PlayTape extends OfWorld {
  readonly kind: 'tape';
  readonly tape: readonly number[];
  readonly isShrunk: boolean;
}

/** Explores a small world. */
export interface Explore extends OfWorld {
  readonly kind: 'explore';
  readonly depth: number;
}

/** A failing schedule. */
export interface Found {
  /** -1 for that of a tape. */
  readonly seed: number;
  readonly tape: readonly number[];
  readonly failure: Failure;
}

export interface Answer {
  /** Schedules, and the steps of all of them. */
  readonly played: number;
  readonly steps: number;
  readonly found?: Found | undefined;
  readonly explored?: Explored | undefined;
}
