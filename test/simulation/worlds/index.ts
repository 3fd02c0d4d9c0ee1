import { bullmq } from './bullmq.js';
import { memory } from './memory.js';
import type { WorldDefinition } from './world-definition.js';

/** All worlds by their names. */
export const worlds: ReadonlyMap<string, WorldDefinition> = new Map(
  [memory, bullmq].map((world) => [world.name, world]),
);
