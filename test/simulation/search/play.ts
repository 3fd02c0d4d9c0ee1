import type { Choices } from '../kernel/choices.js';
import { Violation } from '../kernel/violation.js';
import type { Subject } from '../subject/load.js';
import type { WorldDefinition } from '../worlds/world-definition.js';

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

/** Plays one schedule of a world to its end, or until an invariant breaks. */
export async function play(world: WorldDefinition, choices: Choices, subject: Subject): Promise<Outcome> {
  let failure: Failure | undefined;
  let steps = 0;
  let lines = (): readonly string[] => [];
  try {
    const played = await world.play(choices, subject);
    steps = played.steps;
    lines = () => played.history.lines();
  } catch (error) {
    failure = failureOf(error);
  }
  const [stray] = await takeStrays();
  if (stray) failure ??= { invariant: stray.invariant, what: textOf(stray.error), history: lines() };
  return { tape: choices.tape, steps, failure };
}

export function failureOf(error: unknown): Failure {
  if (error instanceof Violation) {
    return { invariant: error.invariant, what: error.what, history: error.history.lines() };
  }
  // Of the world itself, or of a model that does not know an operation.
  const invariant = error instanceof Error ? `error: ${error.message}` : 'error';
  return { invariant, what: textOf(error), history: [] };
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** An error that nobody handled: a rejection without a handler, or what a callback threw. */
interface Stray {
  readonly invariant: 'unhandled rejection' | 'uncaught exception';
  readonly error: unknown;
}

let strays: Stray[] = [];

/** Makes this thread survive stray errors, which `takeStrays` returns. */
export function catchStrays(): void {
  process.on('unhandledRejection', (error) => strays.push({ invariant: 'unhandled rejection', error }));
  process.on('uncaughtException', (error) => strays.push({ invariant: 'uncaught exception', error }));
}

/** The stray errors since the last call. Node reports rejections when no tick is due any more. */
export async function takeStrays(): Promise<readonly Stray[]> {
  await new Promise((resolve) => setImmediate(resolve));
  if (strays.length === 0) return strays;
  const taken = strays;
  strays = [];
  return taken;
}
