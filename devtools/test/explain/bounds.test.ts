import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Frame, frames, units } from './bounded/units.js';

const MIB = 1024 * 1024;
/** Of a process that explains many bodies, one after the other, with what its allocator keeps. */
const MOST_MIB = 360;
/** A body of 128 KiB takes about 30 ms, and some ten seconds where the time grows with the square of its size. */
const MOST_MS = 2000;
/** A process that needs more than this for objects ends: less than the thread has. */
const HEAP = '--max-old-space-size=256';
const TIMEOUT = 120_000;

const file = (name: string) => fileURLToPath(new URL(`./bounded/${name}`, import.meta.url));
let child: ChildProcess;
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'explain-'));
  const outfile = join(folder, 'entry.mjs');
  const hashes = ['hmac', 'sha2'].map((name) => [`@noble/hashes/${name}.js`, file('no-hash.ts')]);
  const runtime = fileURLToPath(new URL('../../../src/runtime/node.ts', import.meta.url));
  await build({
    ...{ entryPoints: [file('entry.ts')], bundle: true, platform: 'node', format: 'esm', target: 'node20', outfile },
    // Hashes take nearly all of the time, and no memory.
    alias: { '#runtime': runtime, ...Object.fromEntries(hashes) },
  });
  child = fork(file('child.mjs'), [outfile], { execArgv: [HEAP] });
}, TIMEOUT);
afterAll(async () => {
  child.kill();
  await rm(folder, { recursive: true });
});

/** By how many MiB the process has grown at most, after it has explained this body too, and how long that took. */
async function explained(frame: Frame, unit: string, size: number): Promise<unknown> {
  child.send({ frame, unit, size });
  const controller = new AbortController();
  const { signal } = controller;
  const ended = once(child, 'exit', { signal }).then(([code]) => [`The process ended with ${code}.`]);
  const [answer] = await Promise.race([once(child, 'message', { signal }), ended]);
  ended.catch(() => {});
  controller.abort();
  return answer;
}

const below = (most: number) => expect.toSatisfy((value: number) => value < most, `is below ${most}`);

describe('explainFailure', { timeout: TIMEOUT }, () => {
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
  ])('takes bounded memory for 10 MiB of %s', async (_, frame, unit, size = 10 * MIB - 100) => {
    expect(await explained(frame, unit, size)).toMatchObject({ mib: below(MOST_MIB) });
  });

  it.each(frames)('takes linear time for repetitive bodies of 128 KiB between %j and %j', async (...frame) => {
    // Each frame stands around every sixth unit, in turn.
    const turn = frames.findIndex(([head, tail]) => head === frame[0] && tail === frame[1]);
    for (const [at, unit] of units.entries()) {
      if (at % 6 !== turn % 6) continue;
      expect(await explained(frame as never, unit, MIB / 8)).toEqual({ mib: below(MOST_MIB), ms: below(MOST_MS) });
    }
  });
});
