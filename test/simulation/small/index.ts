import { leases } from './leases.js';
import { memory } from './memory.js';
import type { SmallDefinition } from './small-world.js';

/** All small worlds by their names. */
export const smallWorlds: ReadonlyMap<string, SmallDefinition> = new Map(
  [memory, leases].map((world) => [world.name, world]),
);
