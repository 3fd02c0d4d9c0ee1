import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { inspect } from 'node:util';

const ONE = new URL('one.mjs', import.meta.url);
/** No benchmark takes nearly as long: one that does would never end. */
const LONGEST_MS = 15 * 60_000;

/** Runs a benchmark in a process without the code and garbage of the others. */
async function runApart({ href, index }, env) {
  const options = { execArgv: ['--expose-gc'], env, serialization: 'advanced' };
  const child = fork(ONE, [href, String(index)], options);
  let answer;
  child.once('message', (message) => {
    answer = message;
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS);
  // Comes after the message, unlike 'exit'.
  const [code, signal] = await once(child, 'close');
  clearTimeout(timer);
  return answer ?? { error: `The process of the benchmark ended with ${signal ?? code}.` };
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
 * Runs the benchmarks of a folder, so many at once. Calls `report` for each as soon as it ends, with its name and its
 * `rows`, why it is `skipped`, or its `error`. Returns what was reported.
 */
export async function measure({ folder, only, effort, atOnce, report }) {
  const waiting = await benchmarksIn(folder, only);
  const results = [];
  const env = { ...process.env, BENCH_EFFORT: effort };
  async function work() {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { name, skipped, error } = next;
      const outcome = skipped ? { skipped } : error ? { error } : await runApart(next, env);
      results.push({ name, ...outcome });
      report({ name, ...outcome });
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}
