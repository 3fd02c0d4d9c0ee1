// What n receivers carry before one Redis, one Postgres and one NATS JetStream, beside receivers written by hand:
//
//   npm run build:js
//   npx tsx --tsconfig examples/tsconfig.json scripts/scale.mjs [--only redis] [--replicas 1,2] [--seconds 4] [--write]
//
// `--write` puts the tables into docs/operate/sizing.md. All processes share this machine, so the figures that hold on others
// are those of CPU. Only for Linux: the CPU of an engine is read from /proc.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { availableParallelism } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { freshDelivery } from '../bench/lib/fixtures.mjs';
import { startNats } from '../test/servers/brokers.ts';
import { startPostgres } from '../test/servers/postgres.ts';
import { startRedis } from '../test/servers/redis.ts';
import { installNeeds } from './install-needs.mjs';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    replicas: { type: 'string', default: '1,2,4' },
    seconds: { type: 'string', default: '4' },
    write: { type: 'boolean' },
  },
});
const seconds = Number(values.seconds);
const STARTS = { redis: startRedis, postgres: startPostgres, nats: startNats };
const TITLES = { redis: 'Redis', postgres: 'Postgres', nats: 'NATS JetStream' };
const engines = Object.keys(STARTS).filter((name) => name.includes(values.only));
const CONNECTIONS = 16; // to each replica
const SUSTAINED_MS = 100;
/** Events after which a replica runs compiled code. */
const WARM = 5000;
const RECEIVER = fileURLToPath(new URL('scale-receiver.mjs', import.meta.url));
/** How much of its CPU an engine or a receiver should use. */
const BUSY = 0.8;
const FLEETS = [10, 100, 1000];

const agent = new Agent({ keepAlive: true });

/** Sends a delivery of one event. Resolves to whether it got 200. */
function send(port) {
  const { rawBody, headers } = freshDelivery(1);
  const length = { 'content-type': 'application/json', 'content-length': rawBody.length };
  return new Promise((resolve, reject) => {
    const options = {
      port,
      host: '127.0.0.1',
      path: '/webhooks',
      method: 'POST',
      agent,
      headers: { ...headers, ...length },
    };
    const post = request(options, (response) =>
      response.resume().on('end', () => resolve(response.statusCode === 200)),
    );
    post.on('error', reject).end(rawBody);
  });
}

/** Sends as fast as the answers come, for some seconds and until so many took effect. Gives their number. */
async function saturate(ports, least = 0) {
  const end = performance.now() + seconds * 1000;
  let done = 0;
  const connection = async (port) => {
    while (performance.now() < end || done < least) if (await send(port)) done++;
  };
  await Promise.all(ports.flatMap((port) => Array.from({ length: CONNECTIONS }, () => connection(port))));
  return done;
}

/** Sends so many a second, whether or not they are answered. Gives those that were sent, and the share in time. */
async function offer(ports, rate, duration) {
  const start = performance.now();
  const sent = [];
  let inTime = 0;
  for (let now = start; now < start + duration * 1000; now = performance.now()) {
    for (const due = ((now - start) / 1000) * rate; sent.length < due; ) {
      const at = start + (sent.length / rate) * 1000;
      const answer = send(ports[sent.length % ports.length]);
      sent.push(answer.then((ok) => void (ok && performance.now() - at <= SUSTAINED_MS && inTime++)));
    }
    await setTimeout(2);
  }
  await Promise.all(sent);
  return { sent: sent.length, share: inTime / sent.length };
}

/** Microseconds of CPU that the engine has taken: every process below this one that is not a receiver. */
function engineCpu(receivers) {
  const processes = readdirSync('/proc').flatMap((pid) => {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
      return [{ pid: Number(pid), parent: Number(fields[1]), ticks: fields.slice(11, 15).map(Number) }];
    } catch {
      return []; // not a process, or one that has ended
    }
  });
  const below = (pid) => processes.filter(({ parent }) => parent === pid).flatMap((each) => [each, ...below(each.pid)]);
  const own = below(process.pid).filter(({ pid }) => !receivers.some((receiver) => receiver.pid === pid));
  return own.flatMap(({ ticks }) => ticks).reduce((sum, ticks) => sum + ticks * 10_000, 0);
}

async function startReceiver(engine, kind, url) {
  const child = fork(RECEIVER, [engine, kind, url]);
  const [{ port }] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (!port) throw new Error(`The receiver before ${engine} did not start.`);
  const ask = async (question) => {
    child.send(question);
    return (await once(child, 'message'))[0];
  };
  return { port, pid: child.pid, ask, stop: () => child.disconnect() };
}

/** Measures so many receivers before a new engine: events a second, the knee, and the CPU of replicas and engine. */
async function measure(engine, kind, replicas) {
  const server = await STARTS[engine]();
  const receivers = [];
  try {
    // One after the other: the first creates the tables.
    for (let n = 0; n < replicas; n++) receivers.push(await startReceiver(engine, kind, server.url));
    const ports = receivers.map(({ port }) => port);
    const cpu = async () => {
      const usages = await Promise.all(receivers.map(({ ask }) => ask('cpu')));
      return [usages.reduce((sum, { user, system }) => sum + user + system, 0), engineCpu(receivers)];
    };
    let events = await saturate(ports, WARM * replicas);
    const before = await cpu();
    const done = await saturate(ports);
    const perEvent = (await cpu()).map((after, n) => (after - before[n]) / done);
    const rate = done / seconds;
    events += done;
    let knee = 0;
    for (let part = 0.95; knee === 0 && part > 0.1; part -= 0.1) {
      const { sent, share } = await offer(ports, rate * part, seconds);
      events += sent;
      if (share >= 0.99) knee = rate * part;
    }
    const count = await receivers[0].ask('count');
    if (count !== events) throw new Error(`${events} events had ${count} effects.`);
    return [rate, knee, ...perEvent];
  } finally {
    for (const receiver of receivers) receiver.stop();
    await server.stop();
  }
}

process.once('SIGINT', () => process.exit(1)).once('SIGTERM', () => process.exit(1)); // the engines end with it
await installNeeds(['redis', 'postgres', 'nats', 'queues']);
const measured = [];
for (const engine of engines) {
  for (const replicas of values.replicas.split(',').map(Number)) {
    const ours = await measure(engine, 'ours', replicas);
    measured.push({ engine, replicas, ours, byHand: await measure(engine, 'by hand', replicas) });
    console.error(measured.at(-1));
  }
}

const number = (value) => Math.round(value).toLocaleString('en');
const rowOf = (cells) => `| ${cells.join(' | ')} |`;
const toTable = (head, rows) => [rowOf(head), `|${'---|'.repeat(head.length)}`, ...rows.map(rowOf)].join('\n');
const results = toTable(
  ['engine', 'replicas', 'events/s (by hand)', 'knee, events/s', 'CPU µs an event: replica', 'engine'],
  measured.map(({ engine, replicas, ours, byHand }) => {
    return [TITLES[engine], replicas, ...ours.map((each, at) => `${number(each)} (${number(byHand[at])})`)];
  }),
);
// From the CPU of an event: what a replica with one core carries, and the engine's cores for that.
const fleets = toTable(
  [
    'engine',
    'a replica carries',
    'a core of the engine carries',
    ...FLEETS.map((n) => `cores for ${number(n)} replicas`),
  ],
  engines.map((engine) => {
    const { ours } = measured.find((each) => each.engine === engine);
    const [replica, core] = ours.slice(2).map((us) => (BUSY * 1_000_000) / us);
    const cores = FLEETS.map((n) => number(Math.ceil((n * replica) / core)));
    return [TITLES[engine], `${number(replica)}/s`, `${number(core)}/s`, ...cores];
  }),
);
const [day] = new Date().toISOString().split('T');
const machine = `${availableParallelism()} cores for all processes, Node ${process.versions.node}`;
const text = [`Measured on ${day}: ${machine}.`, results, fleets].join('\n\n');
console.log(text);
if (values.write) {
  const page = new URL('../docs/operate/sizing.md', import.meta.url);
  const parts = readFileSync(page, 'utf8').split(/(?<=<!-- tables of scale.mjs -->\n\n)|(?=\n\n<!-- end -->)/);
  if (parts.length !== 3) throw new Error('docs/operate/sizing.md has no place for the tables.');
  writeFileSync(page, parts[0] + text + parts[2]);
}
process.exit();
