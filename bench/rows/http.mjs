import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { pick } from '../lib/effort.mjs';
import { freshDelivery, SECRET } from '../lib/fixtures.mjs';
import { sendAll, toRequest } from '../lib/load.mjs';
import { startServer } from '../lib/server.mjs';
import { interleave, ratios, summarise } from '../lib/stats.mjs';

const { webhooks } = new Stripe('sk_test_bench');
const svix = new Webhook(SECRET);

// The same body for everyone, in the headers that each wants.
const SIGNERS = {
  ours: ({ headers }) => headers,
  hand: ({ headers }) => headers,
  raw: ({ headers }) => headers,
  stripe: ({ body }) => ({
    'Stripe-Signature': webhooks.generateTestHeaderString({ payload: body.toString(), secret: SECRET }),
  }),
  svix: ({ body, timestamp }) => ({
    'Svix-Id': 'msg_1',
    'Svix-Timestamp': timestamp,
    'Svix-Signature': svix.sign('msg_1', new Date(Number(timestamp) * 1000), body),
  }),
  octokit: ({ body }) => ({
    'X-GitHub-Event': 'push',
    'X-GitHub-Delivery': crypto.randomUUID(),
    'X-Hub-Signature-256': `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`,
  }),
};

function requestsFor(name, count) {
  return Array.from({ length: count }, () => {
    const delivery = freshDelivery(1);
    return toRequest({ body: delivery.body, headers: SIGNERS[name](delivery) });
  });
}

/** One burst: microseconds of CPU in the server for one request. They are what a busy server's requests per second depend on. */
async function burst({ name, server }, count) {
  const requests = requestsFor(name, count);
  const before = await server.ask('cpu');
  await sendAll(server.port, requests);
  const after = await server.ask('cpu');
  if (after.handled - before.handled !== count) throw new Error(`The server "${name}" did not handle every delivery.`);
  return (after.microseconds - before.microseconds) / count;
}

/** Our server and another in turns: the CPU of each in each round. */
async function compare(host, peer) {
  const candidates = {};
  for (const name of ['ours', peer]) {
    candidates[name] = { name, server: await startServer(`${host} ${name}`) };
    await burst(candidates[name], pick(6000, 6000, 16));
  }
  // Many short bursts: what else the machine does changes slowly beside them.
  const bursts = await interleave(candidates, pick(60, 15), (candidate) => burst(candidate, pick(600, 600, 16)));
  for (const { server } of Object.values(candidates)) server.stop();
  return [bursts.ours, bursts[peer]];
}

const CPU = 'CPU ×';
const RATE = 'requests/s of CPU ×';

const ROWS = [
  ['node', 'hand', 'the same by hand', CPU, { max: 1.15 }],
  ['express', 'hand', 'the same by hand', CPU, { max: 1.06 }],
  ['express', 'raw', 'Express + express.raw(), 200', CPU, { max: 1 }],
  ['node', 'octokit', '@octokit/webhooks middleware', RATE, { min: 1.4 }],
  ['express', 'stripe', 'Express + stripe', RATE, { min: 1.2 }],
  ['express', 'svix', 'Express + svix', RATE, { min: 1.2 }],
];

const HOSTS = { express: 'Express', node: 'node:http' };
const PEERS = { hand: 'by hand' };

export const benchmarks = ROWS.map(([host, peer, against, measure, target]) => ({
  name: `${HOSTS[host]} one event, ${PEERS[peer] ?? peer}`,
  async run() {
    const [ours, other] = await compare(host, peer);
    const result = summarise(measure === CPU ? ratios(ours, other) : ratios(other, ours));
    return [{ name: `${HOSTS[host]}, one event`, against, measure, target, ...result }];
  },
}));
