import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { interleave, summarise } from '../lib/stats.mjs';

const main = fileURLToPath(new URL('../../../devtools/dist/cli/main.js', import.meta.url));

const PROCESSES = {
  'bare node': ['--eval', 'process.stdout.write("here")'],
  'event-webhooks --version': [main, '--version'],
  'event-webhooks --help': [main, '--help'],
  'event-webhooks send --help': [main, 'send', '--help'],
  'event-webhooks listen --help': [main, 'listen', '--help'],
  'event-webhooks emulate --help': [main, 'emulate', '--help'],
};

/** Milliseconds from the start of a process to the first thing that it prints. */
async function firstOutput(args) {
  const start = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  await once(child.stdout, 'data');
  const ms = performance.now() - start;
  child.stdout.resume();
  const [code] = await closed;
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}.`);
  return ms;
}

export const benchmarks = [
  {
    name: 'first output of the command line tool',
    run: async ({ quick }) => {
      const times = await interleave(PROCESSES, quick ? 9 : 41, firstOutput);
      return Object.keys(PROCESSES)
        .filter((name) => name !== 'bare node')
        .map((name) => {
          const added = times[name].map((time, round) => time - times['bare node'][round]);
          const target = { max: 150 };
          return { name: `first output, ${name}`, against: 'bare node', measure: '+ ms', target, ...summarise(added) };
        });
    },
  },
];
