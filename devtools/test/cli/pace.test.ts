import { describe, expect, test } from 'vitest';
import { createPace, type Timing } from '../../src/cli/send/pace.js';

/** A clock that waits at once, `late` milliseconds too long each time. */
function clock(late: (ms: number) => number = () => 0) {
  let time = 5000;
  const waits: number[] = [];
  const timing: Timing = {
    now: () => time,
    wait: async (ms) => {
      waits.push(ms);
      time += ms + late(ms);
    },
  };
  return { timing, waits, pass: (ms: number) => (time += ms) };
}

async function paced(times: readonly number[], { timing }: Pick<ReturnType<typeof clock>, 'timing'>, speed = 1) {
  const announced: number[] = [];
  const signal = new AbortController().signal;
  const due = createPace({ speed, signal, announce: (ms) => announced.push(ms) }, timing);
  const found: number[] = [];
  for (const time of times) {
    await due(time);
    found.push(timing.now() - 5000);
  }
  return { found, announced };
}

describe('the pace of a replay', () => {
  test('keeps the gaps, and announces each', async () => {
    const { found, announced } = await paced([70, 170, 170, 1170], clock());
    expect(found).toEqual([0, 100, 100, 1100]);
    expect(announced).toEqual([100, 1000]);
  });

  test('divides the gaps by the speed', async () => {
    expect((await paced([0, 1000, 4000], clock(), 10)).found).toEqual([0, 100, 400]);
    expect((await paced([0, 1000], clock(), 0.5)).found).toEqual([0, 2000]);
  });

  test('keeps the gaps after a stop of the process, without a burst', async () => {
    let stops = 1;
    const stopped = clock(() => (stops-- > 0 ? 10_000 : 0));
    expect((await paced([0, 1000, 2000, 3000], stopped)).found).toEqual([0, 11_000, 12_000, 13_000]);
  });

  test('waits no longer when it is aborted', async () => {
    const stop = new AbortController();
    const due = createPace({ speed: 1, signal: stop.signal, announce: () => stop.abort() });
    await due(0);
    await due(3_600_000);
    expect(stop.signal.aborted).toBe(true);
  });

  test('ends a wait when it is aborted', async () => {
    const stop = new AbortController();
    const due = createPace({ speed: 1, signal: stop.signal, announce: () => setImmediate(() => stop.abort()) });
    await due(0);
    await due(3_600_000);
    expect(stop.signal.aborted).toBe(true);
  });
});
