import { parseArgs } from 'node:util';
import { openGround } from './ground.js';
import { isModeName, lacks, type ModeName, modes } from './modes.js';
import { failure, hasPassed, summary } from './report.js';
import { type Outcome, runScenario } from './scenario.js';

const { values } = parseArgs({
  options: {
    mode: { type: 'string', default: 'all' },
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    kills: { type: 'string', default: '6' },
    faults: { type: 'string', default: '16' },
    misuses: { type: 'string', default: '12' },
    events: { type: 'string', default: '240' },
    spread: { type: 'string', default: '4000' },
  },
});

function whole(name: keyof typeof values, most: number): number {
  const value = Number(values[name]);
  if (Number.isInteger(value) && value >= 0 && value <= most) return value;
  throw new RangeError(`--${name} must be a whole number up to ${most}.`);
}

function chosen(): ModeName[] {
  if (values.mode === 'all') return Object.keys(modes).filter(isModeName);
  if (isModeName(values.mode)) return [values.mode];
  throw new RangeError(`--mode must be all or one of ${Object.keys(modes).join(', ')}.`);
}

const first = whole('seed', 2 ** 31);
const seeds = Array.from({ length: whole('seeds', 1000) }, (_, index) => first + index);
const settings = {
  kills: whole('kills', 100),
  faults: whole('faults', 1000),
  misuses: whole('misuses', 1000),
  events: whole('events', 10_000),
  spreadMs: whole('spread', 600_000),
};

// So that what listens for the end of the process hears of this one: it ends the servers and child processes.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));

const names = chosen();
for (const name of names.filter(lacks)) console.log(`mode ${name}${lacks(name)}`);
const runnable = names.filter((name) => lacks(name) === '');
const outcomes: Outcome[] = [];

if (runnable.length > 0) {
  const ground = await openGround();
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
