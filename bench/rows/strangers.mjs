import { tsImport } from 'tsx/esm/api';
import { pick } from '../lib/effort.mjs';
import { freshDelivery } from '../lib/fixtures.mjs';
import { sendAll, toRequest } from '../lib/load.mjs';
import * as ours from '../lib/ours.mjs';
import { startServer } from '../lib/server.mjs';
import { interleave, quantile, ratios, summarise } from '../lib/stats.mjs';
import { crowd, latencies, latency, unfinishedRequest } from '../lib/strangers.mjs';

const MIB = 1024 * 1024;
/** The defaults of maxArrivingBytes and maxBodyBytes. */
const MAX_ARRIVING_BYTES = 64 * MIB;
const MAX_BODY_BYTES = 10 * MIB;
const STRANGERS = pick(1000, 1000, 10);

async function latencyBesideStrangers() {
  const candidates = {};
  for (const name of ['crowded', 'alone']) {
    const server = await startServer('node ours');
    await latencies(server.port, 500);
    candidates[name] = { server, strangers: [] };
  }
  const { crowded, alone } = candidates;
  crowded.strangers = await crowd(crowded.server.port, STRANGERS, unfinishedRequest(2000));
  const rounds = await interleave(candidates, pick(15, 5), ({ server }) => latencies(server.port, pick(400, 400, 10)));
  for (const socket of crowded.strangers) socket.destroy();
  for (const { server } of [crowded, alone]) server.stop();
  const at = (name, share) => rounds[name].map((sorted) => quantile(sorted, share));
  return [
    ['p50', 0.5],
    ['p99', 0.99],
  ].map(([measure, share]) => ({
    name: `genuine beside ${STRANGERS} half-sent`,
    against: 'no strangers',
    measure: `${measure} ×`,
    target: { max: 2 },
    ...summarise(ratios(at('crowded', share), at('alone', share))),
  }));
}

/** Peak RSS above the idle server's, over maxArrivingBytes. */
async function peakOfStalled(count) {
  const server = await startServer('node ours');
  await sendAll(
    server.port,
    Array.from({ length: 500 }, () => toRequest(freshDelivery(1))),
  );
  const idle = await server.ask('idle');
  const sockets = await crowd(server.port, count, unfinishedRequest(MAX_BODY_BYTES));
  const { bytes } = await server.ask('peak');
  await latency(server.port);
  for (const socket of sockets) socket.destroy();
  server.stop();
  return (bytes - idle.bytes) / MAX_ARRIVING_BYTES;
}

async function memoryOfStalled(count) {
  const rounds = pick(3, 1);
  const { stalled } = await interleave({ stalled: count }, rounds, peakOfStalled);
  const row = { name: `${count} stalled bodies of 10 MiB`, against: 'maxArrivingBytes', measure: 'peak RSS ×' };
  return [{ ...row, target: { max: 1.5 }, ...summarise(stalled) }];
}

/** The answer depends on the seed, and on nothing that is measured. */
async function shareOfLookUps({ quick }) {
  const { playLookUps } = await tsImport('../lib/look-ups.ts', import.meta.url);
  const rows = [];
  for (const overload of [1.1, 1.5, 3]) {
    const shares = [];
    for (let seed = 1; seed <= (quick ? 1 : 5); seed++) {
      const { share, most } = await playLookUps(ours, { overload, seed });
      if (most > 100) throw new Error(`${most} look-ups were under way.`);
      shares.push(share);
    }
    const row = { name: `genuine share at ${overload} × the capacity of look-ups`, against: `1 ÷ ${overload}` };
    rows.push({ ...row, measure: 'share ×', target: { min: 0.85 }, ...summarise(shares) });
  }
  return rows;
}

export const benchmarks = [
  { name: 'genuine share of look-ups', run: shareOfLookUps },
  { name: 'genuine beside strangers', run: latencyBesideStrangers },
  { name: '60 stalled bodies', run: () => memoryOfStalled(60) },
];
