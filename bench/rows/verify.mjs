import { createHmac, timingSafeEqual } from 'node:crypto';
import { compareSpeed } from '../lib/compare.mjs';
import { pick } from '../lib/effort.mjs';
import { SECRET, signedBytes } from '../lib/fixtures.mjs';
import { verifySignature } from '../lib/ours.mjs';

/** What most people write by hand. */
function bareVerify(body, signature, timestamp, secret) {
  const expected = createHmac('sha256', secret).update(body).update(timestamp).digest();
  const given = Buffer.from(signature, 'hex');
  return given.length === expected.length && timingSafeEqual(expected, given);
}

// Each peer starts from the received bytes, signed in its own way, and only verifies: parsing is another row. Each is
// loaded for its own rows alone, so that it takes no part in the others.
const PEERS = {
  'bare createHmac': ({ rawBody: body, signature, timestamp }) => {
    return () => bareVerify(body, signature, timestamp, SECRET);
  },
  standardwebhooks: async ({ rawBody: body }) => {
    const { Webhook } = await import('standardwebhooks');
    const webhook = new Webhook(SECRET);
    const now = new Date();
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': webhook.sign('msg_1', now, body),
    };
    return () => webhook.verify(body, headers, { jsonParse: false }) === undefined;
  },
  stripe: async ({ rawBody: body }) => {
    const { default: Stripe } = await import('stripe');
    const { webhooks } = new Stripe('sk_test_bench');
    const header = webhooks.generateTestHeaderString({ payload: body.toString(), secret: SECRET });
    return () => webhooks.signature.verifyHeader(body, header, SECRET, 300);
  },
  // Its signature covers the payload alone, so the timestamp has to be put behind it to do the same job.
  '@octokit/webhooks-methods': async ({ rawBody: body, signature, timestamp }) => {
    const { verify } = await import('@octokit/webhooks-methods');
    return () => verify(SECRET, `${body}${timestamp}`, `sha256=${signature}`);
  },
};

const TARGETS = [
  ['300 B', 300, 'bare createHmac', 1.1],
  ['2 kB', 2_000, 'bare createHmac', 1.05],
  ['200 kB', 200_000, 'bare createHmac', 1],
  ['2 kB', 2_000, 'standardwebhooks', 1],
  ['2 kB', 2_000, 'stripe', 1],
  ['2 kB', 2_000, '@octokit/webhooks-methods', 1],
];

export const benchmarks = TARGETS.map(([label, size, against, min]) => ({
  name: `verifySignature ${label}, ${against}`,
  async run() {
    const delivery = signedBytes(size);
    const { rawBody: body, signature, timestamp } = delivery;
    const ours = () => verifySignature(body, signature, timestamp, SECRET);
    const result = await compareSpeed(ours, await PEERS[against](delivery), pick(41, 9));
    return [{ name: `verifySignature ${label}`, against, measure: 'speed ×', target: { min }, ...result }];
  },
}));
