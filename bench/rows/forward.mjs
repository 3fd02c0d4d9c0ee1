import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { pick } from '../lib/effort.mjs';
import { freshDelivery } from '../lib/fixtures.mjs';
import { startListen } from '../lib/listen.mjs';
import { interleave, quantile, summarise } from '../lib/stats.mjs';

const proxy = fileURLToPath(new URL('../children/proxy.mjs', import.meta.url));
const agent = new Agent({ keepAlive: true });

/** Sends a new delivery. Resolves with the milliseconds until it was answered. */
function send(url) {
  const { rawBody, headers } = freshDelivery(1);
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      if (response.statusCode !== 200) reject(new Error(`answered ${response.statusCode}`));
      response.on('end', () => resolve(performance.now() - start));
    });
    sent.on('error', reject).end(rawBody);
  });
}

const name = 'listen --forward, one delivery at a time';

async function run() {
  const app = createServer((incoming, response) => incoming.resume().on('end', () => response.end()));
  await once(app.listen(0, '127.0.0.1'), 'listening');
  const target = `http://127.0.0.1:${app.address().port}/webhooks`;
  const listen = await startListen('--forward', target);
  const child = fork(proxy, [target]);
  const [port] = await once(child, 'message');
  const rounds = await interleave(
    { listen: `${listen.url}/webhooks`, proxy: `http://127.0.0.1:${port}/webhooks` },
    pick(20, 8),
    async (url) => {
      const times = [];
      for (let count = 0; count < pick(200, 100, 3); count++) times.push(await send(url));
      return quantile(
        times.sort((a, b) => a - b),
        0.5,
      );
    },
  );
  listen.stop();
  child.disconnect();
  app.close();
  const above = rounds.listen.map((p50, round) => p50 - rounds.proxy[round]);
  return [{ name, against: 'a bare proxy', measure: 'p50 + ms', target: { max: 1 }, ...summarise(above) }];
}

export const benchmarks = [{ name, run }];
