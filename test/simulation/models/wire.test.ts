import { describe, expect, it } from 'vitest';
import { Choices } from '../kernel/choices.js';
import { World } from '../kernel/world.js';
import { Wire } from './wire.js';

/** A process with a wire to a server that counts, and may cut the connection at the first command. */
function wired(resends: boolean, cutsFirst = false) {
  const world = new World(Choices.ofTape([]));
  const process = world.process('app');
  const wire = new Wire(process, world.server('server'), { resends, silentMs: 1000 });
  const answers: unknown[] = [];
  let answeredAt = 0;
  let effects = 0;
  const send = () => {
    wire
      .call(() => {
        if (cutsFirst && effects === 0)
          world.after(0, () => {
            for (const each of process.connections) each.cut();
          });
        return ++effects;
      })
      .then(
        (value) => answers.push(value),
        (error: Error) => answers.push(error.message),
      )
      .finally(() => {
        answeredAt = world.now;
      });
  };
  process.start(send);
  return { world, process, answers, send, effects: () => effects, answeredAt: () => answeredAt };
}

describe('Wire', () => {
  it('runs commands in order, each once', async () => {
    const { world, process, answers, send, effects } = wired(true);
    process.deliver(0.1, send);
    await world.run();
    expect([answers, effects()]).toEqual([[1, 2], 2]);
  });

  it.each([
    [true, [2], 2],
    [false, ['The request failed: ECONNRESET.'], 1],
  ])(
    'that loses an answer after the effect sends the command again, or rejects it (%s)',
    async (resends, told, count) => {
      const { world, answers, effects } = wired(resends, true);
      await world.run();
      expect([answers, effects()]).toEqual([told, count]);
    },
  );

  it.each([
    [true, [1], 1],
    [false, ['The request failed: ECONNRESET.'], 0],
  ])('gives a half-open connection up when it has been silent for too long (%s)', async (resends, told, count) => {
    const { world, process, answers, effects, answeredAt } = wired(resends);
    world.after(0, () => {
      for (const connection of process.connections) connection.halfOpen();
    });
    await world.run();
    expect([answers, effects()]).toEqual([told, count]);
    expect(answeredAt()).toBeGreaterThanOrEqual(1000);
    expect(answeredAt()).toBeLessThan(1100);
  });
});
