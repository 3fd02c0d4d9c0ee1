// Starts a runtime anew and prints the milliseconds to its first answer: node cold-start.mjs <host> <script> <request>.
import { readFileSync } from 'node:fs';
import { hosts } from '../lib/runtimes.mjs';

const [, , name, file, given] = process.argv;
const { start, serve } = hosts.find((host) => host.name === name);
const script = readFileSync(file, 'utf8');
const request = JSON.parse(readFileSync(given, 'utf8'));

async function firstAnswer(text) {
  const begin = performance.now();
  const { ask, stop } = await start(text);
  const { status } = await ask('http://localhost/', { method: 'POST', ...request });
  const ms = performance.now() - begin;
  await stop();
  if (status !== 200) throw new Error(`Answered ${status}.`);
  return ms;
}

// So that what starts the runtime is warm itself.
await firstAnswer(serve('(() => new Response())'));
const ms = await firstAnswer(script);
process.stdout.write(String(ms), () => process.exit());
