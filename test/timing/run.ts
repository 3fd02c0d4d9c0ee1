// `npx tsx test/timing/run.ts [calls]`: whether verifySignature takes the same time whichever digits of a signature are wrong.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { LIMIT } from './welch.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const node = [here('../../src/runtime/node.ts'), here('leaky-node.ts')] as const;
const pure = [here('../../src/runtime/edge.ts'), here('leaky-pure.ts')] as const;

const rows = [
  { backend: 'node:crypto', runtime: node, experiment: 'ends' },
  { backend: 'node:crypto', runtime: node, experiment: 'prefix' },
  { backend: 'noble', runtime: pure, experiment: 'ends' },
  { backend: 'noble', runtime: pure, experiment: 'prefix' },
  { backend: 'WebCrypto', runtime: pure, experiment: 'ahead' },
] as const;

const titles = { ends: 'first or last digit', prefix: '1 or 64 digits', ahead: '1 or 64 digits' };

/** The control needs far fewer calls. */
const CONTROL = 20;
const calls = Number(process.argv[2] ?? 5_000_000);
const run = promisify(execFile);

async function measure(runtime: string, experiment: string, calls: number): Promise<{ calls: number; worst: number }> {
  const directory = await mkdtemp(join(tmpdir(), 'timing-'));
  try {
    const outfile = join(directory, 'measure.mjs');
    await build({
      entryPoints: [here('measure.ts')],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      alias: { '#runtime': runtime },
    });
    const { stdout } = await run(process.execPath, [outfile, experiment, String(calls)]);
    return JSON.parse(stdout);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

console.log(`${cpus()[0]?.model} (${cpus().length} cores), Node ${process.versions.node}\n`);
console.log('| backend | wrong | calls | \\|t\\| | \\|t\\| of the control | its calls |\n|---|---|---|---|---|---|');
for (const { backend, runtime, experiment } of rows) {
  const [ours, leaky] = runtime;
  const control = await measure(leaky, experiment, calls / CONTROL);
  const { worst, ...result } = await measure(ours, experiment, calls);
  const cells = [backend, titles[experiment], result.calls, worst.toFixed(1), control.worst.toFixed(1), control.calls];
  console.log(`| ${cells.join(' | ')} |`);
  if (worst >= LIMIT || control.worst < LIMIT) process.exitCode = 1;
}
