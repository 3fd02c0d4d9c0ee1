import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { pick } from '../lib/effort.mjs';
import { SECRET } from '../lib/fixtures.mjs';
import { latency } from '../lib/latency.mjs';
import { quantile, summarise } from '../lib/stats.mjs';

const main = fileURLToPath(new URL('../../devtools/dist/cli/main.js', import.meta.url));
const hostile = new URL('../children/hostile.mjs', import.meta.url);
/** A genuine delivery is sent so often, whether or not the one before has been answered. */
const EVERY_MS = 20;

/** Starts `listen` as a process and gives what it says of itself. */
async function startListen(args) {
  const child = spawn(process.execPath, [main, 'listen', '--port', '0', '--json', ...args], {
    env: { ...process.env, WEBHOOK_SECRET: SECRET },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  child.stdout.resume();
  const { url, page } = JSON.parse(line).listening;
  return { child, port: Number(new URL(url).port), page };
}

/** A delivery that `listen` drops under fire is never answered. */
const neverAnswered = () => Number.POSITIVE_INFINITY;

/** The latencies of genuine deliveries for so many seconds, in order of size. */
async function sendFor(port, seconds, onRefusal) {
  const answers = [];
  for (let count = 0; count < (seconds * 1000) / EVERY_MS; count++) {
    answers.push(latency(port).catch(onRefusal));
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
  return (await Promise.all(answers)).sort((a, b) => a - b);
}

/** Reads the page's stream of deliveries, as a page that is open does. */
function openPage(address) {
  const [page, token] = address.split('#token=');
  const ending = new AbortController();
  const read = async () => {
    const { body } = await fetch(`${page}api/stream`, {
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      signal: ending.signal,
    });
    for await (const _ of body);
  };
  read().catch(() => {});
  return () => ending.abort();
}

async function underFire({ forward, page }) {
  const target = createServer((request, response) => request.resume().on('end', () => response.end()));
  target.listen(0, '127.0.0.1');
  await once(target, 'listening');
  const listen = await startListen([
    ...(forward ? ['--forward', `http://127.0.0.1:${target.address().port}/`] : []),
    ...(page ? [] : ['--no-page']),
  ]);
  const closePage = page ? openPage(listen.page) : () => {};
  const figures = { alone: [], fire: [] };
  for (let round = 0; round < pick(3, 1); round++) {
    figures.alone.push(quantile(await sendFor(listen.port, pick(3, 3, 0.1)), 0.99));
    const child = fork(hostile, [String(listen.port)]);
    await once(child, 'message');
    const underFire = await sendFor(listen.port, pick(10, 5, 0.1), neverAnswered);
    if (!Number.isFinite(underFire[0])) throw new Error('No genuine delivery was answered.');
    figures.fire.push(quantile(underFire, 0.99));
    child.disconnect();
    await once(child, 'exit');
  }
  closePage();
  const start = performance.now();
  listen.child.kill('SIGTERM');
  await once(listen.child, 'exit');
  const ended = performance.now() - start;
  target.close();
  const name = `genuine through listen${forward ? ' --forward' : ''}${page ? ', page open' : ''}`;
  return [
    { name, against: 'hostile bodies', measure: 'p99 ms', target: { max: 100 }, ...summarise(figures.fire) },
    { name, against: 'nothing else', measure: 'p99 ms', ...summarise(figures.alone) },
    { name, against: 'hostile bodies', measure: 'SIGTERM to end, ms', target: { max: 1000 }, ...summarise([ended]) },
  ];
}

export const benchmarks = [
  { forward: false, page: false },
  { forward: true, page: false },
  { forward: false, page: true },
  { forward: true, page: true },
].map((how) => ({
  name: `listen under fire${how.forward ? ' with --forward' : ''}${how.page ? ' with the page' : ''}`,
  run: () => underFire(how),
}));
