import { pick } from './effort.mjs';
import { interleave, ratios, summarise } from './stats.mjs';

/** Long enough that every slice pays for the garbage that it makes. */
const SLICE_MS = pick(30);

/** Calls a function so many times and gives the time in milliseconds. What is not `true` is no work worth timing. */
function timed(work, times) {
  const start = performance.now();
  for (let i = 0; i < times; i++) if (work() !== true) throw new Error('A candidate did not do its work.');
  return performance.now() - start;
}

async function timedAsync(work, times) {
  const start = performance.now();
  for (let i = 0; i < times; i++) if ((await work()) !== true) throw new Error('A candidate did not do its work.');
  return performance.now() - start;
}

/** How often to call a function so that it takes a slice of time; warms it up on the way. */
async function calibrate(measure, work) {
  let times = 1;
  let total = 0;
  for (;;) {
    const ms = await measure(work, times);
    total += ms;
    if (ms >= SLICE_MS && total >= 5 * SLICE_MS) return Math.max(1, Math.round((times * SLICE_MS) / ms));
    if (ms < SLICE_MS) times *= 2;
  }
}

/**
 * Times two functions in turns, in slices of one length, and gives time(ours) / time(other) for each round. Each
 * function returns `true` when it did its work; one that is async is awaited call by call.
 */
async function timeRatios(ours, other, rounds) {
  const candidates = {};
  for (const [name, work] of Object.entries({ ours, other })) {
    const measure = work() instanceof Promise ? timedAsync : timed;
    candidates[name] = { measure, work, times: await calibrate(measure, work) };
  }
  const figures = await interleave(candidates, rounds, async ({ measure, work, times }) => {
    return (await measure(work, times)) / times;
  });
  return ratios(figures.ours, figures.other);
}

export async function compareTime(ours, other, rounds) {
  return summarise(await timeRatios(ours, other, rounds));
}

export async function compareSpeed(ours, other, rounds) {
  return summarise((await timeRatios(ours, other, rounds)).map((ratio) => 1 / ratio));
}
