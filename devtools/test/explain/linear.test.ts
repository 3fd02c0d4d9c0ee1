import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Measured, startMeasured, type Text } from './counting/measured.js';
import { type Frame, frames, units } from './counting/units.js';

const TIMEOUT = 120_000;
const MIB = 1024 * 1024;
const MANY = 6;
const MOST = 8;
/** What a step does before it has looked at the text. */
const SLACK = 2000;

let measured: Measured;
beforeAll(async () => {
  measured = await startMeasured();
}, TIMEOUT);
afterAll(() => measured.close());

const frameAt = (turn: number): Frame => frames[turn % frames.length] ?? ['', ''];

/** What grows too much, with how often as much work six times the text takes. */
async function growing(step: string, texts: readonly Text[], size: number): Promise<string[]> {
  const little = await measured.work(step, texts, size);
  const much = await measured.work(step, texts, MANY * size);
  if (much <= MOST * little + SLACK) return [];
  return [`${step}: ${(much / little).toFixed(1)} times the work for ${JSON.stringify(texts)}`];
}

describe('six times the text takes at most eight times the work', () => {
  it(
    'of every step, for every unit and every frame',
    async () => {
      const found: string[] = [];
      for (const [turn, step] of measured.steps.entries()) {
        // Every other unit, in turn.
        const texts = units.flatMap((unit, at): Text[] =>
          (turn + at) % 2 === 0 ? [[unit, frameAt(turn + (at >> 1))]] : [],
        );
        // If one of three is quadratic, the work for them together is sixteen times as much.
        for (let at = 0; at < texts.length; at += 3) found.push(...(await growing(step, texts.slice(at, at + 3), 600)));
      }
      expect(found).toEqual([]);
      // And no step is left out: every function that undoes something was called.
      expect(await measured.notCalled()).toEqual([]);
    },
    TIMEOUT,
  );

  it(
    'of every step, for units that are generated',
    async () => {
      const characters = '\0 \t\r\n"\'`\\/[]{},:;|&=%+-_.#<>*0159aAfnuvxyz\u0301\u0f73é漢\ufeff';
      const unit = fc.string({ unit: fc.constantFrom(...characters), minLength: 1, maxLength: 10 });
      await fc.assert(
        fc.asyncProperty(unit, fc.constantFrom(...frames), async (repeatedUnit, frame) => {
          const found: string[] = [];
          for (const step of measured.steps) found.push(...(await growing(step, [[repeatedUnit, frame]], 2000)));
          expect(found).toEqual([]);
        }),
        { numRuns: 5 },
      );
    },
    TIMEOUT,
  );

  it(
    'of every step, up to 2 MiB',
    async () => {
      const found: string[] = [];
      // Another unit and frame for each: all of both take part.
      for (const [at, step] of measured.steps.entries()) {
        const text: Text = [units[(2 * at) % units.length] ?? '', frameAt(5 * at)];
        found.push(...(await growing(step, [text], (2 * MIB) / MANY)));
      }
      expect(found).toEqual([]);
    },
    TIMEOUT,
  );

  it(
    'is more for steps that are quadratic, of which each is found beside texts that are not',
    async () => {
      const texts: Text[] = ['a', '[', '\u0301'].map((unit) => [unit, frameAt(0)]);
      for (const step of measured.quadratic) expect(await growing(step, texts, 600)).toHaveLength(1);
    },
    TIMEOUT,
  );
});
