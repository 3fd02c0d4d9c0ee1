import type { Bench } from './bench.js';

export const GROUPS = {
  authentic: 'Authentic deliveries, which must be accepted',
  forged: 'Forged deliveries, which must be refused',
  'exactly-once': 'Each event takes effect exactly once',
  behavior: 'Failures and load',
} as const;

export type Group = keyof typeof GROUPS;

/** What a failure means, and how to fix it. */
export interface Advice {
  /** What an attacker or an outage can cause. */
  readonly risk: string;
  readonly fix: string;
}

/** What replaces the advice of a case. */
export type OwnAdvice = { readonly [Key in keyof Advice]?: Advice[Key] | undefined };

/** One check of a receiver. */
export interface Case extends Advice {
  readonly id: string;
  readonly group: Group;
  /** What a correct receiver does. */
  readonly title: string;
  run(bench: Bench): Promise<Outcome>;
}

/** `skipped`: an option is missing. `not-run`: the run ended before it. */
export type Verdict = 'passed' | 'failed' | 'warning' | 'skipped' | 'not-run';

export interface Outcome {
  readonly verdict: Verdict;
  /** What was sent and answered. Contains no secret and no signature. */
  readonly detail: string;
  /** Replaces that of the case. */
  readonly advice?: OwnAdvice | undefined;
}

export const passed = (detail: string): Outcome => ({ verdict: 'passed', detail });
export const failed = (detail: string, advice?: OwnAdvice): Outcome => ({ verdict: 'failed', detail, advice });
export const warning = (detail: string, advice?: OwnAdvice): Outcome => ({ verdict: 'warning', detail, advice });
export const skipped = (detail: string): Outcome => ({ verdict: 'skipped', detail });
export const notRun = (detail: string): Outcome => ({ verdict: 'not-run', detail });
