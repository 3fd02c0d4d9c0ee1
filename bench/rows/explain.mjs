import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { explainFailure } from 'event-webhooks/explain';
import { pick } from '../lib/effort.mjs';
import { summarise } from '../lib/stats.mjs';

const path = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const MIB = 1024 * 1024;
const SIZE = pick(2 * MIB, 2 * MIB, MIB / 16);
const MANY = 6;
/** Less than this is noise. */
const LEAST_MS = pick(5, 5, 0);

/** The steps by themselves, which the package does not export. */
async function loadSteps() {
  const folder = mkdtempSync(join(tmpdir(), 'bench-explain-'));
  const outfile = join(folder, 'steps.mjs');
  await build({
    entryPoints: [path('devtools/test/explain/counting/steps.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    alias: { '#runtime': path('src/runtime/node.ts') },
    outfile,
  });
  const loaded = await import(pathToFileURL(outfile).href);
  rmSync(folder, { recursive: true });
  return loaded;
}

/** Milliseconds of the processor: what else runs on the machine is not counted. */
function timeOf(run) {
  const start = process.cpuUsage();
  try {
    run();
  } catch {
    // A step that is not for this text ends so.
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

const fastest = (run) => Math.min(timeOf(run), timeOf(run), timeOf(run));
/** Every unit, or for a quick look every tenth. */
const some = (units) => units.filter((_, at) => at % pick(1, 10, units.length) === 0);

const growth = {
  name: 'explainFailure, each step',
  async run() {
    const { steps, shortSteps, units, frames, repeated, timesIn } = await loadSteps();
    const ratios = [];
    for (const [step, prepare] of steps) {
      if (shortSteps.has(step)) continue;
      for (const [at, unit] of some(units).entries()) {
        const frame = frames[at % frames.length];
        const times = timesIn(SIZE / MANY, unit);
        const much = fastest(prepare(repeated(frame, unit, MANY * times)));
        if (much < LEAST_MS) continue;
        const little = fastest(prepare(repeated(frame, unit, times)));
        ratios.push({ ratio: much / little, of: `${step}, ${JSON.stringify(unit)}` });
      }
    }
    const worst = ratios.reduce((a, b) => (a.ratio > b.ratio ? a : b));
    const row = { name: this.name, measure: 'time ×', target: { max: 8 } };
    return [
      { ...row, against: `a sixth of the text: worst (${worst.of})`, ...summarise([worst.ratio]) },
      { ...row, against: 'a sixth of the text: all', ...summarise(ratios.map(({ ratio }) => ratio)) },
    ];
  },
};

const whole = {
  name: 'explainFailure, 2 MiB of each unit',
  async run() {
    const { units, frames, repeated, timesIn } = await loadSteps();
    const delivery = { signature: 'ab'.repeat(32), timestamp: '1795176000', secret: 'whsec-test', now: 1795176000000 };
    const timed = some(units).map((unit, at) => {
      const rawBody = Buffer.from(repeated(frames[at % frames.length], unit, timesIn(SIZE, unit)));
      return { seconds: timeOf(() => explainFailure({ ...delivery, rawBody })) / 1000, unit };
    });
    const worst = timed.reduce((a, b) => (a.seconds > b.seconds ? a : b));
    const row = { name: this.name, measure: 's' };
    return [
      { ...row, against: `worst (${JSON.stringify(worst.unit)})`, target: { max: 3 }, ...summarise([worst.seconds]) },
      { ...row, against: 'all', ...summarise(timed.map(({ seconds }) => seconds)) },
    ];
  },
};

export const benchmarks = [growth, whole];
