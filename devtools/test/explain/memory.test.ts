import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundled, temporary } from './counting/measured.js';
import type { Frame } from './counting/units.js';

const SIZE = 10 * 1024 * 1024;
/** Of a process that explains many bodies, one after the other, with what its allocator keeps. */
const MOST_MIB = 360;
/** A process that needs more than this for objects ends: less than the thread has. */
const HEAP = '--max-old-space-size=256';
const TIMEOUT = 120_000;

let child: ChildProcess;
let remove = async () => {};
beforeAll(async () => {
  const [folder, removeFolder] = await temporary();
  remove = removeFolder;
  const path = await bundled('memory-entry.ts', folder);
  child = fork(fileURLToPath(new URL('./counting/memory.mjs', import.meta.url)), [path], { execArgv: [HEAP] });
}, TIMEOUT);
afterAll(() => {
  child.kill();
  return remove();
});

/** By how many MiB the process has grown at most, after it has explained this body too. */
async function growth(frame: Frame, unit: string, size: number): Promise<unknown> {
  child.send([{ frame, unit, size: size - unit.length }]);
  const controller = new AbortController();
  const { signal } = controller;
  const ended = once(child, 'exit', { signal }).then(([code]) => [`The process ended with ${code}.`]);
  const [answer] = await Promise.race([once(child, 'message', { signal }), ended]);
  ended.catch(() => {});
  controller.abort();
  return answer;
}

describe('the memory that the explanation of 10 MiB takes', () => {
  it.each<[string, Frame, string, number?]>([
    ['text', ['["', '"]'], 'some words '],
    ['events', ['[', '0]'], `{"id":"${'1'.repeat(100)}","event":"e","data":{"name":"<é>"}},`],
    ['characters that are escaped', ['["', '"]'], '<'],
    ['letters beyond ASCII', ['["', '"]'], 'é'],
    ['brackets', ['', '', 'closed'], '['],
    // Three of the 500 000 marks that are parsed.
    ['as many values as are parsed', ['[', '0]'], '{"a":[]},', 9 * 166_000],
    ['keys', ['{', '"":0}'], '"":1,'],
    ['numbers', ['', '1'], '1,'],
    ['base64', ['', ''], 'YWJj'],
    ['line breaks', ['[', '0]'], '\n'],
    ['zeros', ['', ''], '\0'],
  ])(
    'is bounded for %s',
    async (_, frame, unit, size = SIZE) => {
      expect(await growth(frame, unit, size)).toBeLessThan(MOST_MIB);
    },
    TIMEOUT,
  );
});
