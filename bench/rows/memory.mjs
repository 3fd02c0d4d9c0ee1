import { connect } from 'node:net';
import { pick } from '../lib/effort.mjs';
import { bodyOf, freshDelivery, SECRET } from '../lib/fixtures.mjs';
import { sendAll, toRequest } from '../lib/load.mjs';
import { createTestDelivery, sampleEventEmitted, signDelivery } from '../lib/ours.mjs';
import { startServer } from '../lib/server.mjs';
import { interleave, summarise } from '../lib/stats.mjs';

const DELIVERIES = 200;
const MEGABYTE = 1_000_000;
const MOST_MS = 20_000;

/** A delivery of 1 MB: one event with a long value. */
function largeRequest() {
  const rest = bodyOf('event.emitted', 1).length;
  const event = sampleEventEmitted({ data: { event: { rawFields: 'x'.repeat(MEGABYTE - rest) } } });
  const { body } = createTestDelivery([event], { secret: SECRET });
  return toRequest(signDelivery(Buffer.from(body), { secret: SECRET }));
}

/** Sends what there is of a request and waits until the system has taken all of it. */
function sendPart(port, part) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', reject);
    socket.write(part, () => resolve(socket));
  });
}

/** The server's own count of what arrived, until it is all there: what lies in the system's buffers is not in its RSS. */
async function arrived(server, bytes) {
  const start = performance.now();
  while (performance.now() - start < MOST_MS) {
    const { received, bytes: peak } = await server.ask('peak');
    if (received >= bytes) return peak;
  }
  throw new Error(`The server had not read all that was sent after ${MOST_MS} ms.`);
}

/** Peak RSS above the idle server's, over the bytes of the halves. */
async function peakOverPayload(kind, request) {
  const server = await startServer(kind);
  // Small ones: what large ones leave behind in the allocator would take in a part of what is to be measured.
  const warmUp = Array.from({ length: 500 }, () => toRequest(freshDelivery(1)));
  await sendAll(server.port, warmUp);
  const idle = await server.ask('idle');
  const half = request.subarray(0, Math.floor(request.length / 2));
  const sockets = await Promise.all(Array.from({ length: DELIVERIES }, () => sendPart(server.port, half)));
  const payload = DELIVERIES * half.length;
  const peak = await arrived(server, idle.received + payload);
  for (const socket of sockets) socket.destroy();
  server.stop();
  return (peak - idle.bytes) / payload;
}

const ROWS = [
  ['node ours', 'payload', { max: 1.2 }],
  ['node bare', 'payload, a server that keeps chunks', undefined],
];

export const benchmarks = [
  {
    name: '200 × 1 MB half-sent',
    async run() {
      const request = largeRequest();
      const candidates = Object.fromEntries(ROWS.map(([kind]) => [kind, kind]));
      const figures = await interleave(candidates, pick(5, 1), (kind) => peakOverPayload(kind, request));
      return ROWS.map(([kind, against, target]) => {
        return { name: '200 × 1 MB half-sent', against, measure: 'peak RSS ×', target, ...summarise(figures[kind]) };
      });
    },
  },
];
