import type { Choices } from '../kernel/choices.js';
import { Violation } from '../kernel/violation.js';
import type { Subject } from '../subject/load.js';
import type { WorldDefinition } from '../worlds/world-definition.js';
import type { Failure, Outcome } from './outcome.js';
import { takeStrays } from './stray-errors.js';

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
