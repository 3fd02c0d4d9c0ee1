import * as all from './all.js';
import type { WorldDefinition } from './world-definition.js';

/** All worlds by their names. */
export const worlds: ReadonlyMap<string, WorldDefinition> = new Map(
  Object.values(all).map((world) => [world.name, world]),
);
