import { oneOf, valuesOf, whole } from '../fixtures/arguments.js';
import { openGround } from './ground.js';
import { lacks, type ModeName, modes } from './modes.js';
import { failure, hasPassed, summary } from './report.js';
import { type Outcome, runScenario } from './scenario.js';

const NAMES = ['mode', 'seed', 'seeds', 'kills', 'faults', 'misuses', 'events', 'spread'] as const;
const text = { type: 'string' } as const;
const values: Partial<Record<(typeof NAMES)[number], string>> = valuesOf(
  process.argv.slice(2),
  Object.fromEntries(NAMES.map((name) => [name, text])),
);
const number = (name: (typeof NAMES)[number], fallback: number, most: number) =>
  whole(name, values[name], fallback, 0, most);

const first = number('seed', 1, 2 ** 31);
const seeds = Array.from({ length: number('seeds', 1, 1000) }, (_, index) => first + index);
const settings = {
  kills: number('kills', 6, 100),
  faults: number('faults', 16, 1000),
  misuses: number('misuses', 12, 1000),
  events: number('events', 240, 10_000),
  spreadMs: number('spread', 4000, 600_000),
};

// So that what listens for the end of the process hears of this one: it ends the servers and child processes.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));

const all = Object.keys(modes) as ModeName[];
if (values.mode !== undefined) oneOf('mode', values.mode, all);
const names = all.filter((name) => name === (values.mode ?? name));
for (const name of names.filter(lacks)) console.log(`mode ${name}${lacks(name)}`);
const runnable = names.filter((name) => lacks(name) === '');
const outcomes: Outcome[] = [];

if (runnable.length > 0) {
  const ground = await openGround(runnable.map((name) => modes[name]));
  try {
    for (const seed of seeds) {
      for (const name of runnable) {
        const outcome = await runScenario(name, { seed, ...settings }, ground);
        outcomes.push(outcome);
        console.log(summary(outcome));
        if (!hasPassed(outcome)) console.log(failure(outcome));
      }
    }
  } finally {
    await ground.close();
  }
}

const failed = outcomes.filter((outcome) => !hasPassed(outcome)).length;
console.log(`${failed === 0 ? 'PASS' : 'FAIL'}: ${outcomes.length} runs, ${failed} with a broken invariant`);
process.exit(failed === 0 ? 0 : 1);
