import { once } from 'node:events';
import { createServer } from 'node:http';
import { chainFinality } from 'event-webhook-receiver/chain';
import { logIdentity } from 'event-webhook-receiver/evm';
import { pick } from '../lib/effort.mjs';
import { SECRET } from '../lib/fixtures.mjs';
import { createReceiver, createTestDelivery, sampleEventEmitted } from '../lib/ours.mjs';
import { interleave, ratios, summarise } from '../lib/stats.mjs';

const CHAIN_ID = 31337;
const hex = (number) => `0x${number.toString(16)}`;
const hashOf = (number) => `0x${(number + 0xb0000000).toString(16).padStart(64, '0')}`;

/** A node whose chain has no end; `final` is its final block. It counts the requests for blocks. */
async function withNode(work) {
  const node = { final: 0, requests: 0 };
  const headerOf = (number) => ({
    ...{ number: hex(number), hash: hashOf(number), parentHash: hashOf(number - 1) },
    ...{ timestamp: hex(1_700_000_000 + 12 * number), transactions: [] },
  });
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { id, method, params } = JSON.parse(text);
    if (method !== 'eth_chainId') node.requests++;
    const number = params[0] === 'finalized' ? node.final : Number(params[0]);
    const result = method === 'eth_chainId' ? hex(CHAIN_ID) : headerOf(number);
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await work(node, `http://127.0.0.1:${server.address().port}/`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

const sample = sampleEventEmitted();
const rawFields = JSON.parse(sample.data.event.rawFields);
let logIndex = 0;

/** A new event of a block. */
function eventIn(number) {
  logIndex++;
  const log = { ...rawFields, blockNumber: hex(number), blockHash: hashOf(number), logIndex: hex(logIndex) };
  const event = { ...sample.data.event, rawFields: JSON.stringify(log), indexInLog: logIndex };
  return { ...sample, id: crypto.randomUUID(), data: { ...sample.data, event } };
}

function deliveryIn(number, events) {
  const all = Array.from({ length: events }, () => eventIn(number));
  const { body, signature, timestamp } = createTestDelivery(all, { secret: SECRET });
  return { rawBody: body, signature, timestamp };
}

const receiverWith = (more) =>
  createReceiver({
    secret: SECRET,
    idempotencyKey: (event) => logIdentity(event, { chainId: CHAIN_ID }),
    onEvent: async () => {},
    ...more,
  });

/** Milliseconds of deliveries of a block's new events. */
async function timeOf(receiver, deliveries, events) {
  // Signed before the clock starts.
  const ready = Array.from({ length: deliveries }, () => deliveryIn(100, events));
  const start = performance.now();
  for (const delivery of ready) {
    const { status } = await receiver.handle(delivery);
    if (status !== 200) throw new Error(`A delivery was answered ${status}.`);
  }
  return performance.now() - start;
}

const name = 'finality: block that is cached as final';

const cached = [1, 100].map((events) => ({
  name: `${name}, ${events} at once`,
  run: () =>
    withNode(async (node, rpcUrl) => {
      node.final = 110;
      const finality = chainFinality({ rpcUrl, level: 'finalized', chainId: CHAIN_ID, wait: 'redelivery' });
      const candidates = { ours: receiverWith({ finality }), bare: receiverWith({}) };
      const deliveries = pick(Math.max(4, 400 / events));
      for (const each of Object.values(candidates)) {
        for (let i = 0; i < pick(10); i++) await timeOf(each, deliveries, events);
      }
      const requests = node.requests;
      const times = await interleave(candidates, pick(61, 15), (each) => timeOf(each, deliveries, events));
      if (node.requests !== requests) throw new Error('A block that is final was looked up again.');
      const result = summarise(ratios(times.ours, times.bare));
      const target = { max: 1.1 };
      return [
        { name: `${name}, ${events} at once`, against: 'without finality', measure: 'time ×', target, ...result },
      ];
    }),
}));

const EPOCH = 32;
const EPOCHS = pick(10);
const counted = 'finality: requests for blocks';

export const benchmarks = [
  ...cached,
  {
    name: counted,
    run: () =>
      withNode(async (node, rpcUrl) => {
        let ms = Date.now();
        const now = () => ms;
        const finality = chainFinality({ rpcUrl, level: 'finalized', chainId: CHAIN_ID, wait: 'redelivery', now });
        const receiver = receiverWith({ finality });
        const perBlock = [];
        for (let epoch = 1; epoch <= EPOCHS; epoch++) {
          const before = node.requests;
          ms += 12_000 * EPOCH;
          node.final = EPOCH * epoch;
          const blocks = Array.from({ length: EPOCH }, (_, at) => node.final - EPOCH + 1 + at);
          // Ten deliveries of ten events of each block, all at once.
          const deliveries = blocks.flatMap((number) => Array.from({ length: 10 }, () => deliveryIn(number, 10)));
          const answers = await Promise.all(deliveries.map((delivery) => receiver.handle(delivery)));
          if (!answers.every(({ status }) => status === 200)) throw new Error('An event was not handled.');
          perBlock.push((node.requests - before) / EPOCH);
        }
        const result = summarise(perBlock);
        return [{ name: counted, against: '100 events a block', measure: 'a block', target: { max: 1.1 }, ...result }];
      }),
  },
];
