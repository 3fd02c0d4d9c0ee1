import { describe, expect, it } from 'vitest';
import { Choices } from './choices.js';
import { Connection } from './connection.js';
import { request } from './request.js';
import { World } from './world.js';

const tame = () => new World(Choices.ofTape([]));

/** A process and a server in a tame world, and what was seen. */
function setUp(world = tame()) {
  const seen: string[] = [];
  return {
    world,
    process: world.process('app'),
    server: world.server('db'),
    seen,
    see: (what: string) => () => seen.push(what),
  };
}

it('choices of neighbouring seeds are spread', () => {
  const firsts = Array.from({ length: 1000 }, (_, seed) => Choices.ofSeed(seed).below(100));
  expect(new Set(firsts).size).toBe(100);
});

it('a world runs what is due by time, and all microtasks before the next step', async () => {
  const world = tame();
  const seen: string[] = [];
  world.after(2, () => seen.push('second'));
  world.after(1, () => {
    seen.push('first');
    void (async () => {
      for (let turn = 0; turn < 5; turn++) await undefined;
      seen.push('its microtasks');
    })();
  });
  world.after(1.5, () => seen.push('cancelled')).cancel();
  await world.run();
  expect(seen).toEqual(['first', 'its microtasks', 'second']);
  expect(world.now).toBe(2);
});

describe('Process', () => {
  it('fires timers as Node does: whole milliseconds, at least one, in order', async () => {
    const { world, process } = setUp();
    const seen: [string, number][] = [];
    const note = (name: string) => () => seen.push([name, world.now]);
    process.start(() => {
      process.setTimeout(note('5.9'), 5.9);
      process.setTimeout(note('0'), 0);
      process.setTimeout(note('NaN'), Number.NaN);
      process.setTimeout(note('cleared'), 3).clear();
    });
    await world.run();
    expect(seen).toEqual([
      ['0', 1],
      ['NaN', 1],
      ['5.9', 5],
    ]);
  });

  it('runs nothing while it is frozen, and what is overdue in order when it wakes', async () => {
    const { world, process } = setUp();
    const seen: [string, number][] = [];
    process.start(() => {
      process.setTimeout(() => seen.push(['late timer', world.now]), 20);
      process.setTimeout(() => seen.push(['timer', world.now]), 10);
    });
    world.after(5, () => process.pause(100));
    await world.run();
    expect(seen).toEqual([
      ['timer', 105],
      ['late timer', 105],
    ]);
  });

  it('runs nothing of an earlier life', async () => {
    const { world, process } = setUp();
    const seen: string[] = [];
    process.start(() => {
      process.setTimeout(() => seen.push('timer'), 10);
      process.deliver(10, () => seen.push('delivery'));
    });
    world.after(5, () => process.crash());
    world.after(6, () => process.start(() => seen.push('second life')));
    await world.run();
    expect(seen).toEqual(['second life']);
    expect(process.life).toBe(2);
  });

  it('has two clocks: sleep stops the monotonic one, steps move the wall clock', async () => {
    const { world, process } = setUp();
    process.start(() => {});
    const [wall, monotonic] = [process.wall(), process.monotonic()];
    world.after(5, () => process.pause(100, true));
    world.after(200, () => process.stepClock(-1000));
    world.after(300, () => {});
    await world.run();
    expect(process.wall() - wall).toBeCloseTo(-700);
    expect(process.monotonic() - monotonic).toBeCloseTo(200);
  });

  it('freezes within a turn, right before it looks at a clock', async () => {
    const { world, process } = setUp();
    const seen: number[] = [];
    process.start(() => {});
    world.after(1, () => process.stall(1, 500));
    process.deliver(2, () => {
      const start = process.wall();
      seen.push(process.wall() - start, process.wall() - start);
      process.deliver(1, () => seen.push(world.now));
    });
    await world.run();
    expect(seen).toEqual([500, 500, 503]);
  });
});

describe('Connection', () => {
  it('keeps the order of messages in both directions, also when the process was frozen', async () => {
    const { world, process, server, seen } = setUp(new World(Choices.ofSeed(3)));
    process.start(() => {
      const connection = new Connection(process, server);
      for (let message = 0; message < 20; message++) {
        connection.send(() => {
          seen.push(`s${message}`);
          connection.answer(() => seen.push(`c${message}`));
        });
      }
      process.deliver(0.2, () => process.pause(400));
    });
    await world.run();
    const numbers = Array.from({ length: 20 }, (_, index) => index);
    expect(seen.filter((each) => each.startsWith('s'))).toEqual(numbers.map((number) => `s${number}`));
    expect(seen.filter((each) => each.startsWith('c'))).toEqual(numbers.map((number) => `c${number}`));
  });

  it.each(['closes it', 'dies'])(
    'delivers what a process has sent before it %s, and then tells the server',
    async (how) => {
      const { world, process, server, seen, see } = setUp();
      process.start(() => {
        const connection = new Connection(process, server);
        for (const who of ['client', 'server'] as const) connection.onClose(who, see(who));
        connection.send(() => {
          see('arrived')();
          connection.answer(see('answered'));
        });
        server.freeze(100);
        if (how === 'dies') process.crash();
        else connection.close();
      });
      await world.run();
      expect(seen).toEqual(['arrived', 'server']);
    },
  );
});

it('a request with faults may be lost before or after its effect, or doubled', async () => {
  const kinds = new Set<string>();
  for (let seed = 0; seed < 200; seed++) {
    const { world, process, server } = setUp(new World(Choices.ofSeed(seed)));
    let [effects, answer] = [0, 'silent'];
    const asked = () =>
      request(
        process,
        server,
        (reply) => reply(++effects),
        () => ({ oneIn: 2, doubles: true }),
      );
    process.start(async () => {
      answer = await asked().then(
        () => 'answered',
        () => 'failed',
      );
    });
    await world.run();
    kinds.add(`${effects} ${answer}`);
  }
  expect([...kinds].sort()).toEqual(['0 failed', '1 answered', '1 failed', '1 silent', '2 answered']);
});
