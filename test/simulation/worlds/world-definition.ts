import type { Choices } from '../kernel/choices.js';
import type { World } from '../kernel/world.js';
import type { Subject } from '../subject/load.js';

/** A kind of world: which code runs in it, on what, and what must hold. */
export interface WorldDefinition {
  readonly name: string;
  /** Plays one schedule. Rejects with a Violation. */
  play(choices: Choices, subject: Subject): Promise<World>;
}
