import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BODIES } from '../lib/authentic-bodies.mjs';
import { interleave, summarise } from '../lib/stats.mjs';

const MB = 1_000_000;

async function peakOf(kind, file) {
  const child = fork(new URL('../children/authentic.mjs', import.meta.url), [kind, file], {
    execArgv: ['--expose-gc'],
  });
  const [message] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [])]);
  if (message === undefined) throw new Error(`The process that was to ${kind} the body ended.`);
  return message.bytes;
}

/** Peak of the memory that a body takes, over 1.3 × that of JSON.parse and 40 MB. */
async function memoryOf(name, { quick }) {
  const folder = mkdtempSync(join(tmpdir(), 'event-webhook-bench-'));
  try {
    const file = join(folder, 'body.json');
    writeFileSync(file, BODIES[name]());
    const kinds = { parse: 'parse', receive: 'receive' };
    const peaks = await interleave(kinds, quick ? 1 : 3, (kind) => peakOf(kind, file));
    const figures = peaks.receive.map((peak, round) => peak / (1.3 * peaks.parse[round] + 40 * MB));
    const row = { name: `authentic 10 MiB: ${name}`, against: '1.3 × JSON.parse + 40 MB', measure: 'peak RSS ×' };
    return [{ ...row, target: { max: 1 }, ...summarise(figures) }];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export const benchmarks = Object.keys(BODIES).map((name) => ({
  name: `authentic 10 MiB: ${name}`,
  run: (options) => memoryOf(name, options),
}));
