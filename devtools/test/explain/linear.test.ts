import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Measured, startMeasured } from './counting/measured.js';
import { type Frame, frames, timesIn, units } from './counting/units.js';

const TIMEOUT = 600_000;
const MANY = 6;
const MOST = 8;
/** What a step does before it has looked at the text. */
const SLACK = 2000;

let measured: Measured;
beforeAll(async () => {
  measured = await startMeasured();
}, TIMEOUT);
afterAll(() => measured.close());

/** What grows too much, with how often as much work six times the text takes. */
async function growing(step: string, unit: string, around: readonly Frame[], size: number): Promise<string[]> {
  const times = timesIn(size, unit);
  const little = await measured.work(step, unit, around, times);
  const much = await measured.work(step, unit, around, MANY * times);
  if (much <= MOST * little + SLACK) return [];
  return [`${step}: ${(much / little).toFixed(1)} times the work for ${JSON.stringify(unit)}`];
}

describe('six times the text takes at most eight times the work', () => {
  it(
    'of every step, for every unit in every frame',
    async () => {
      const found: string[] = [];
      for (const step of measured.steps)
        for (const unit of units) found.push(...(await growing(step, unit, frames, 600)));
      expect(found).toEqual([]);
      // And no step is left out: every function that undoes something was called.
      expect(await measured.notCalled()).toEqual([]);
    },
    TIMEOUT,
  );

  it(
    'of every step, for units and frames that are generated',
    async () => {
      const alphabet = [
        ...'\0 \t\r\n"\'`\\/[]{},:;|&=%+-_.#<>*0159aAfnuvxyz',
        '\u0301',
        '\u0f73',
        'é',
        '漢',
        '😀',
        '\ufeff',
      ];
      const unit = fc.string({ unit: fc.constantFrom(...alphabet), minLength: 1, maxLength: 10 });
      const around = fc
        .constantFrom(...frames)
        .chain(([head]) => fc.constantFrom(...frames).map(([, tail, closed]) => [head, tail, closed] as const));
      await fc.assert(
        fc.asyncProperty(unit, around, async (repeatedUnit, frame) => {
          const found: string[] = [];
          for (const step of measured.steps) found.push(...(await growing(step, repeatedUnit, [frame], 2000)));
          expect(found).toEqual([]);
        }),
        { numRuns: 20 },
      );
    },
    TIMEOUT,
  );

  it(
    'of every step, up to 2 MiB',
    async () => {
      const found: string[] = [];
      for (const [at, step] of measured.steps.entries()) {
        // Another unit and frame for each: all of both take part, while all together would take an hour.
        for (const turn of [0, 1]) {
          const unit = units[(2 * at + turn) % units.length] ?? '';
          const frame = frames[(5 * at + turn) % frames.length] ?? ['', ''];
          found.push(...(await growing(step, unit, [frame], (2 * 1024 * 1024) / MANY)));
        }
      }
      expect(found).toEqual([]);
    },
    TIMEOUT,
  );

  it(
    'is more for steps that are quadratic, of which each is found',
    async () => {
      for (const step of measured.quadratic) expect(await growing(step, '\u0301', frames, 600)).toHaveLength(1);
    },
    TIMEOUT,
  );
});
