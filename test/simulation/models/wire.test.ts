import { expect, it } from 'vitest';
import { Choices } from '../kernel/choices.js';
import { World } from '../kernel/world.js';
import { Wire } from './wire.js';

it.each([
  [true, 2, 2],
  [false, 'The request failed: ECONNRESET.', 1],
])('a wire that loses an answer after the effect sends the command again, or rejects it (%s)', async (...given) => {
  const [resends, told, count] = given;
  const world = new World(Choices.ofTape([]));
  const process = world.process('app');
  const wire = new Wire(process, world.server('server'), { resends, silentMs: 1000 });
  let [answer, effects]: [unknown, number] = [undefined, 0];
  const serve = () => {
    if (effects === 0) world.after(0, () => [...process.connections][0]?.cut());
    return ++effects;
  };
  process.start(async () => {
    answer = await wire.call(serve).catch((error: Error) => error.message);
  });
  await world.run();
  expect([answer, effects]).toEqual([told, count]);
});
