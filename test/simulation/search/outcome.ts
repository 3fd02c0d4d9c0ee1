/** A schedule that broke an invariant, in values that a thread can send. */
export interface Failure {
  /** Short and fixed: shrinking keeps it. */
  readonly invariant: string;
  readonly what: string;
  /** One line an entry, with virtual times. */
  readonly history: readonly string[];
}

/** What became of one schedule. */
export interface Outcome {
  readonly tape: readonly number[];
  readonly steps: number;
  readonly failure?: Failure | undefined;
}

/** Plays the schedule of a tape. */
export type PlayTape = (tape: readonly number[]) => Promise<Outcome>;
