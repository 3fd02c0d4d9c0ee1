import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { pick } from '../lib/effort.mjs';
import { interleave, summarise } from '../lib/stats.mjs';

const main = fileURLToPath(new URL('../../devtools/dist/cli/main.js', import.meta.url));

const PROCESSES = {
  'bare node': ['--eval', 'process.stdout.write("here")'],
  'event-webhooks --version': [main, '--version'],
  'event-webhooks --help': [main, '--help'],
  'event-webhooks send --help': [main, 'send', '--help'],
  'event-webhooks listen --help': [main, 'listen', '--help'],
  'event-webhooks emulate --help': [main, 'emulate', '--help'],
  'event-webhooks completion bash': [main, 'completion', 'bash'],
  'event-webhooks listen': [main, 'listen', '--port', '0'],
  'event-webhooks emulate': [main, 'emulate', '--port', '0'],
  'event-webhooks explain': [main, 'explain', '--body-file', main, '--signature', 'ab', '--timestamp', '1'],
  // Port 9 answers nothing: the first output is the error.
  'event-webhooks send': [main, 'send', 'http://127.0.0.1:9/'],
  'event-webhooks register': [main, 'register', 'https://shop.example/', '--label', 'shop'],
  'event-webhooks webhooks count': [main, 'webhooks', 'count'],
};

const env = {
  ...process.env,
  WEBHOOK_SECRET: 'secret-of-the-bench',
  WEBHOOK_API_KEY: 'key-of-the-bench',
  WEBHOOK_BASE_URL: 'http://127.0.0.1:9',
};

/** Milliseconds from the start of a process to the first thing that it prints. */
async function firstOutput(args) {
  const start = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  const closed = once(child, 'close');
  await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data')]);
  const ms = performance.now() - start;
  child.stdout.resume();
  child.stderr.resume();
  child.kill('SIGKILL');
  await closed;
  return ms;
}

export const benchmarks = [
  {
    name: 'first output of the command line tool',
    run: async () => {
      const times = await interleave(PROCESSES, pick(41, 9), firstOutput);
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
