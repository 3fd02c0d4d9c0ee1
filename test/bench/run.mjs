// Every row of the performance targets, each beside its floor or peer in the same run.
//   --only <text>  the rows whose name holds the text    --quick  fewer rounds    --json  JSON instead of a table
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { toJson, toTable } from './lib/report.mjs';

const FILES = readdirSync(new URL('rows/', import.meta.url)).map((name) => name.replace(/\.mjs$/, ''));

/** Runs a benchmark in a process of its own, so that no other one's code and garbage weigh on it. */
async function runApart(file, index, options) {
  const child = fork(new URL('./lib/one.mjs', import.meta.url), [file, index, JSON.stringify(options)], {
    execArgv: ['--expose-gc'],
  });
  const [rows] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [[]])]);
  if (rows.length === 0) throw new Error(`The benchmark ${index} of rows/${file}.mjs failed.`);
  return rows;
}

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, quick: { type: 'boolean' }, json: { type: 'boolean' } },
});

const here = fileURLToPath(new URL('.', import.meta.url));
if (!existsSync(`${here}node_modules`)) {
  console.error('Installing the peers to compare with (npm ci in test/bench) …');
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: here, stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    console.error('npm ci failed, so there is nothing to compare with.');
    process.exit(1);
  }
}

const rows = [];
for (const file of FILES) {
  const { benchmarks } = await import(`./rows/${file}.mjs`);
  for (const [index, { name, skipped }] of benchmarks.entries()) {
    if (!name.includes(values.only)) continue;
    console.error(skipped ? `${name} (skipped: ${skipped})` : name);
    if (skipped) continue;
    rows.push(...(await runApart(file, index, { quick: values.quick === true })));
  }
}
if (rows.length === 0) {
  console.error(`No row whose name holds "${values.only}" could be measured.`);
  process.exit(1);
}

const report = toJson(rows, { quick: values.quick === true });
if (values.only === '') writeFileSync(`${here}results.json`, `${JSON.stringify(report, null, 2)}\n`);
const judged = report.rows.filter(({ met }) => met !== undefined);
console.log(
  values.json
    ? JSON.stringify(report, null, 2)
    : `${toTable(rows)}\n\n${judged.filter(({ met }) => met).length} of ${judged.length} targets met.`,
);
