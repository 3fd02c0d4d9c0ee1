import type { Subject } from '../subject/load.js';
import type { Decide, SmallWorld } from './small-world.js';

/** A world that is small enough for an exhaustive search. */
export interface SmallDefinition {
  readonly name: string;
  /** How many steps deep `.ci/run` explores it. */
  readonly depth: number;
  /** A world at its start, and how to play one way in it. */
  create(subject: Subject): { readonly world: SmallWorld; play(decide: Decide): Promise<void> };
}
