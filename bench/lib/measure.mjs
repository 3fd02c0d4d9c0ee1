import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { inspect } from 'node:util';

const ONE = new URL('one.mjs', import.meta.url);
/** No benchmark takes nearly as long: one that does would never end. */
const LONGEST_MS = 15 * 60_000;

/** Runs benchmarks of one file in a process without the code and garbage of the others. Gives what came of each. */
async function runApart(benchmarks, env) {
  const [{ href }] = benchmarks;
  const indices = benchmarks.map(({ index }) => String(index));
  const child = fork(ONE, [href, ...indices], { execArgv: ['--expose-gc'], env, serialization: 'advanced' });
  const answers = [];
  child.on('message', (answer) => answers.push(answer));
  const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS);
  // Comes after the messages, unlike 'exit'.
  const [code, signal] = await once(child, 'close');
  clearTimeout(timer);
  const error = `The process of the benchmark ended with ${signal ?? code}.`;
  return benchmarks.map((_, at) => answers[at] ?? { error });
}

/** The benchmarks of a folder whose names contain `only`. A file that does not load is one that fails. */
async function benchmarksIn(folder, only) {
  const found = [];
  for (const file of readdirSync(folder)) {
    const { href } = new URL(file, folder);
    try {
      const { benchmarks } = await import(href);
      found.push(...benchmarks.map((benchmark, index) => ({ ...benchmark, href, index })));
    } catch (error) {
      found.push({ name: `rows/${file}`, error: inspect(error) });
    }
  }
  return found.filter(({ name, error }) => error || name.includes(only));
}

/**
 * Runs the benchmarks of a folder, so many processes at once: a process for each benchmark, or for each file, `byFile`.
 * Calls `report` for each as soon as its process ends, with its name and its `rows`, why it is `skipped`, or its `error`.
 * Returns what was reported.
 */
export async function measure({ folder, only, effort, atOnce, byFile, report }) {
  const found = await benchmarksIn(folder, only);
  const isApart = ({ skipped, error }) => !skipped && !error;
  const apart = found.filter(isApart);
  const files = [...new Set(apart.map(({ href }) => href))];
  const waiting = byFile
    ? files.map((file) => apart.filter(({ href }) => href === file))
    : apart.map((benchmark) => [benchmark]);
  const results = [];
  const tell = (result) => {
    results.push(result);
    report(result);
  };
  for (const { name, skipped, error } of found.filter((each) => !isApart(each))) tell({ name, skipped, error });
  const env = { ...process.env, BENCH_EFFORT: effort };
  async function work() {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const outcomes = await runApart(next, env);
      for (const [at, { name }] of next.entries()) tell({ name, ...outcomes[at] });
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}
