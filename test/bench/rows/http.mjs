import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { freshDelivery, SECRET } from '../lib/fixtures.mjs';
import { sendAll, toRequest } from '../lib/load.mjs';
import { startServer } from '../lib/server.mjs';
import { interleave, ratios, summarise } from '../lib/stats.mjs';

const { webhooks } = new Stripe('sk_test_bench');
const svix = new Webhook(SECRET);

// The same body for everyone, in the headers that each wants.
const SIGNERS = {
  ours: ({ headers }) => headers,
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

/** One burst: seconds of CPU in the server and seconds by the clock, both for one request. */
async function burst({ name, server }, count) {
  const requests = requestsFor(name, count);
  const before = await server.ask('cpu');
  const seconds = await sendAll(server.port, requests);
  const after = await server.ask('cpu');
  if (after.handled - before.handled !== count) throw new Error(`The server "${name}" did not handle every delivery.`);
  return { cpu: (after.microseconds - before.microseconds) / count, time: seconds / count };
}

/** Our server and another in turns; gives what `figure` makes of the two lists of bursts. */
async function compare(host, peer, { quick }, figure) {
  const candidates = {};
  for (const name of ['ours', peer]) {
    candidates[name] = { name, server: await startServer(`${host} ${name}`) };
    await burst(candidates[name], 4000);
  }
  const bursts = await interleave(candidates, quick ? 5 : 15, (candidate) => burst(candidate, 1500));
  for (const { server } of Object.values(candidates)) server.stop();
  return summarise(figure(bursts.ours, bursts[peer]));
}

const cpuOf = (bursts) => bursts.map(({ cpu }) => cpu);
const timeOf = (bursts) => bursts.map(({ time }) => time);
const cpuRatios = (ours, other) => ratios(cpuOf(ours), cpuOf(other));
const rateRatios = (ours, other) => ratios(timeOf(other), timeOf(ours));

const ROWS = [
  ['express', 'raw', 'Express + express.raw(), 200', 'CPU ×', { max: 1 }],
  ['node', 'octokit', '@octokit/webhooks middleware', 'CPU ×', { max: 0.6 }],
  ['express', 'stripe', 'Express + stripe', 'requests/s ×', { min: 1.3 }],
  ['express', 'svix', 'Express + svix', 'requests/s ×', { min: 1.35 }],
];

const HOSTS = { express: 'Express', node: 'node:http' };

export const benchmarks = ROWS.map(([host, peer, against, measure, target]) => ({
  name: `${HOSTS[host]} 2 kB, ${peer}`,
  async run(options) {
    const result = await compare(host, peer, options, measure === 'CPU ×' ? cpuRatios : rateRatios);
    return [{ name: `${HOSTS[host]}, 2 kB`, against, measure, target, ...result }];
  },
}));
