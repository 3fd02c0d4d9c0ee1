import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundled, temporary } from './counting/measured.js';
import type { Frame } from './counting/units.js';

const MIB = 1024 * 1024;
/** Of a process that explains many bodies, one after the other, with what its allocator keeps. */
const MOST_MIB = 160;
/** A process that needs more than this for objects ends. */
const HEAP = '--max-old-space-size=64';
const TIMEOUT = 300_000;

interface Body {
  readonly frame: Frame;
  readonly unit: string;
  readonly size: number;
}

let path = '';
let remove = async () => {};
beforeAll(async () => {
  const [folder, removeFolder] = await temporary();
  remove = removeFolder;
  path = await bundled('memory-entry.ts', folder);
}, TIMEOUT);
afterAll(() => remove());

/** By how many MiB a process grows that explains them. */
async function growth(bodies: readonly Body[]): Promise<number> {
  const child = fork(fileURLToPath(new URL('./counting/memory.mjs', import.meta.url)), [path], { execArgv: [HEAP] });
  child.send(bodies);
  const ended = once(child, 'exit').then(([code]) => [new Error(`The process ended with ${code}.`)]);
  const [answer] = await Promise.race([once(child, 'message'), ended]);
  child.kill();
  if (typeof answer !== 'number') throw answer;
  return answer;
}

const nested = (depth: number, size: number): Body => {
  const unit = `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)},`;
  return { frame: ['[', '0]'], unit, size: size - unit.length };
};

describe('the memory that an explanation takes', () => {
  it.each([MIB / 2, 2 * MIB])(
    'is bounded for %d bytes of any nesting',
    async (size) => {
      const depths = Array.from({ length: 6 }, (_, at) => at * 46);
      expect(await growth([...depths, 10_000].map((depth) => nested(depth, size)))).toBeLessThan(MOST_MIB);
    },
    TIMEOUT,
  );

  it.each<[string, Frame, string]>([
    ['white space', ['[', '0]'], '\n'],
    ['characters that are escaped', ['["', '"]'], '<'],
    ['letters beyond ASCII', ['["', '"]'], 'é'],
    ['empty lists', ['[', '0]'], '[],'],
    ['keys', ['{', '"":0}'], '"":1,'],
    ['numbers', ['', '1'], '1,'],
    ['base64', ['', ''], 'Y W\n'],
    ['entities', ['', ''], '&lt;'],
    ['zeros', ['', ''], '\0'],
  ])(
    'is bounded for 2 MiB, or as much as is put in order, of %s',
    async (_, frame, unit) => {
      const sizes = [MIB / 2 - 100, 2 * MIB];
      expect(await growth(sizes.map((size) => ({ frame, unit, size })))).toBeLessThan(MOST_MIB);
    },
    TIMEOUT,
  );
});
