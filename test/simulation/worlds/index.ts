import { memory } from './memory.js';
import { sqlite } from './sqlite.js';
import { transactional } from './transactional.js';
import type { WorldDefinition } from './world-definition.js';

/** All worlds by their names. */
export const worlds: ReadonlyMap<string, WorldDefinition> = new Map(
  [memory, sqlite, transactional].map((world) => [world.name, world]),
);
