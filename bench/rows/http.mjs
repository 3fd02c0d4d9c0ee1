import { pick } from '../lib/effort.mjs';
import { freshDelivery } from '../lib/fixtures.mjs';
import { sendAll, toRequest } from '../lib/load.mjs';
import { startServer } from '../lib/server.mjs';
import { interleave, ratios, summarise } from '../lib/stats.mjs';

/** One burst: microseconds of CPU in the server for one request. They are what a busy server's requests per second depend on. */
async function burst({ name, server }, count) {
  const requests = Array.from({ length: count }, () => toRequest(freshDelivery(1)));
  const before = await server.ask('cpu');
  await sendAll(server.port, requests);
  const after = await server.ask('cpu');
  if (after.handled - before.handled !== count) throw new Error(`The server "${name}" did not handle every delivery.`);
  return (after.microseconds - before.microseconds) / count;
}

/** Our server and one by hand in turns: the CPU of each in each round. */
async function compare(host) {
  const candidates = {};
  for (const name of ['ours', 'hand']) {
    candidates[name] = { name, server: await startServer(`${host} ${name}`) };
    await burst(candidates[name], pick(6000, 6000, 16));
  }
  // Many short bursts: what else the machine does changes slowly beside them.
  const bursts = await interleave(candidates, pick(60, 15), (candidate) => burst(candidate, pick(600, 600, 16)));
  for (const { server } of Object.values(candidates)) server.stop();
  return summarise(ratios(bursts.ours, bursts.hand));
}

const HOSTS = [
  ['node', 'node:http', { max: 1.25 }],
  ['express', 'Express', { max: 1.16 }],
];

export const benchmarks = HOSTS.map(([host, label, target]) => {
  const name = `${label}, one event`;
  return {
    name,
    run: async () => [{ name, against: 'the same by hand', measure: 'CPU ×', target, ...(await compare(host)) }],
  };
});
