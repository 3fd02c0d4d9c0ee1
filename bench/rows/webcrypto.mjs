import { fileURLToPath } from 'node:url';
import { pick } from '../lib/effort.mjs';
import { bundleFor, hosts } from '../lib/runtimes.mjs';
import { interleave, ratios, summarise } from '../lib/stats.mjs';

const SIZES = {
  '300 B': 300,
  '2 kB': 2_000,
  '8 kB': 8_000,
  '16 kB': 16_000,
  '32 kB': 32_000,
  '64 kB': 64_000,
  '256 kB': 256_000,
  '1 MB': 1_000_000,
  '2 MB': 2_000_000,
};

/** Long beside what asking costs, which is in the figure. */
const SLICE_MS = pick(60);

/** Milliseconds from asking a runtime to do so many HMACs to its answer. */
async function timed(ask, candidate, size, times) {
  const start = performance.now();
  const response = await ask(`http://localhost/?candidate=${candidate}&size=${size}&times=${times}`);
  const text = await response.text();
  const ms = performance.now() - start;
  if (response.status !== 200 || text.length !== 64) throw new Error(`Not a digest: ${text}`);
  return ms;
}

/** How many HMACs fill a slice of time; warms the code up on the way. One slow answer is no measure of it. */
async function calibrate(ask, candidate, size) {
  for (let times = 1; ; times *= 2) {
    let shortest = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 3; i++) shortest = Math.min(shortest, await timed(ask, candidate, size, times));
    if (shortest >= SLICE_MS) return times;
  }
}

async function compare(ask, size, rounds) {
  const candidates = {};
  for (const name of ['pure', 'webCrypto']) candidates[name] = { name, times: await calibrate(ask, name, size) };
  const times = await interleave(candidates, rounds, async ({ name, times }) => {
    return (await timed(ask, name, size, times)) / times;
  });
  return summarise(ratios(times.pure, times.webCrypto));
}

export const benchmarks = hosts.map((host) => ({
  name: `WebCrypto by size, ${host.name}`,
  skipped: host.skipped,
  async run() {
    const children = fileURLToPath(new URL('../children/', import.meta.url));
    const script = await bundleFor(host, "import { handler } from './hmac-worker.mjs';", children);
    const { ask, stop } = await host.start(script);
    const rows = [];
    for (const [label, size] of Object.entries(SIZES)) {
      const figures = await compare(ask, size, pick(15, 5));
      rows.push({
        name: `WebCrypto ${label} (${host.name})`,
        against: 'pure JavaScript',
        measure: 'speed ×',
        ...figures,
      });
    }
    await stop();
    return rows;
  },
}));
