import type { Choices } from '../kernel/choices.js';
import { World } from '../kernel/world.js';
import type { WorldDefinition } from '../worlds/world-definition.js';

function toy(name: string, plan: (world: World, choices: Choices) => void): [string, WorldDefinition] {
  const play = async (choices: Choices) => {
    const world = new World(choices, { maxSteps: 200 });
    plan(world, choices);
    await world.run();
    return world;
  };
  return [name, { name, play }];
}

/** Worlds with planted bugs, each of which few schedules meet. */
export const worlds: ReadonlyMap<string, WorldDefinition> = new Map([
  toy('sound', (world, choices) => {
    world.after(choices.below(10), () => {});
  }),
  toy('endless', (world, choices) => {
    const again = () => void world.after(1, again);
    if (choices.oneIn(20)) again();
  }),
  toy('stuck', (world, choices) => {
    world.after(1, () => {
      while (choices.oneIn(20)) for (;;);
    });
  }),
  toy('rejection', (world, choices) => {
    world.after(1, () => {
      if (choices.oneIn(20)) void Promise.reject(new Error('Nobody listens.'));
    });
  }),
  toy('callback', (world, choices) => {
    world.after(1, () => {
      if (!choices.oneIn(20)) return;
      queueMicrotask(() => {
        throw new Error('Thrown by a callback.');
      });
    });
  }),
  toy('unknown operation', (world, choices) => {
    world.after(1, () => {
      if (choices.oneIn(20)) throw new Error('The toy model does not know INCR.');
    });
  }),
]);
