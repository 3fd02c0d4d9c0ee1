import { bullmq } from './bullmq.js';
import { memory } from './memory.js';
import { pgBoss10, pgBoss12 } from './pg-boss.js';
import type { WorldDefinition } from './world-definition.js';

/** All worlds by their names. */
export const worlds: ReadonlyMap<string, WorldDefinition> = new Map(
  [memory, bullmq, pgBoss10, pgBoss12].map((world) => [world.name, world]),
);
