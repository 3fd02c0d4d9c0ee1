import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { instrumentWebhooks } from '../../../dist/otel.js';
import { freshDelivery, SECRET } from '../lib/fixtures.mjs';
import { interleave, summarise } from '../lib/stats.mjs';

const file = (path) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** The receiver and its trace functions, with Node's channels or with none, each in modules of its own. */
const SOURCE = `
export { createReceiver } from ${JSON.stringify(file('dist/index.js'))};
export { traceEvent } from ${JSON.stringify(file('src/tracing.ts'))};`;

/** Loads them with one meaning of '#diagnostics'. */
async function load(folder, channels) {
  const outfile = join(folder, `${channels}.mjs`);
  const alias = { '#diagnostics': file(`dist/${channels}.js`), '#hmac': file('dist/hmac-node.js') };
  const stdin = { contents: SOURCE, resolveDir: file('.') };
  const options = { bundle: true, format: 'esm', platform: 'node', tsconfigRaw: '{}', logLevel: 'error' };
  await build({ stdin, outfile, alias, ...options });
  return import(pathToFileURL(outfile));
}

async function withModules(work) {
  const folder = mkdtempSync(join(tmpdir(), 'event-webhook-tracing-'));
  try {
    return await work(await load(folder, 'channels-node'), await load(folder, 'channels-none'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const CALLS = 1_000_000;
const SETTLED = Promise.resolve();
const settle = (item, index) => (item.index === index ? SETTLED : undefined);
const item = { index: 0 };

/** Nanoseconds of one call of what a receiver traces, as dispatch.ts calls it, or of the call itself. */
function timedCalls(trace) {
  let index = item.index;
  const start = performance.now();
  for (let i = 0; i < CALLS; i++) {
    const settled = trace ? trace(() => settle(item, index), { item }) : settle(item, index);
    if (settled !== SETTLED) throw new Error('The work was not called.');
    index = item.index;
  }
  return ((performance.now() - start) / CALLS) * 1e6;
}

/** Nanoseconds of each delivery of so many events, one after the other. */
async function timedDeliveries({ createReceiver, instrument }, count, deliveries) {
  const stop = instrument?.();
  const receiver = createReceiver({ secret: SECRET, store: false, onEvent: () => {} });
  const { body: rawBody, signature, timestamp } = freshDelivery(count);
  globalThis.gc();
  const start = performance.now();
  for (let i = 0; i < deliveries; i++) {
    const { status } = await receiver.handle({ rawBody, signature, timestamp });
    if (status !== 200) throw new Error(`The receiver answered ${status}.`);
  }
  const nanoseconds = ((performance.now() - start) / deliveries) * 1e6;
  stop?.();
  return nanoseconds;
}

const added = (above, below, events) => summarise(above.map((time, round) => (time - below[round]) / events).slice(2));

const PIPELINES = [
  ['a delivery of 1 event', 1, 3000],
  ['an event of 100', 100, 60],
];

export const benchmarks = [
  {
    name: 'tracing, nobody listening',
    run: ({ quick }) =>
      withModules(async (traced) => {
        const candidates = { traced: traced.traceEvent, bare: undefined };
        const times = await interleave(candidates, quick ? 9 : 41, timedCalls);
        const figures = added(times.traced, times.bare, 1);
        return [{ name: 'a trace call', against: 'the call alone', measure: '+ ns', target: { max: 20 }, ...figures }];
      }),
  },
  ...PIPELINES.map(([what, count, deliveries]) => ({
    name: `tracing, ${what}`,
    run: ({ quick }) =>
      withModules(async (traced, bare) => {
        const { createReceiver } = traced;
        const candidates = { traced, bare, otel: { createReceiver, instrument: instrumentWebhooks } };
        const times = await interleave(candidates, quick ? 9 : 61, (each) => timedDeliveries(each, count, deliveries));
        const row = { against: 'no channels', measure: '+ ns' };
        return [
          { name: `${what}, nobody listening`, ...row, ...added(times.traced, times.bare, count) },
          { name: `${what}, ./otel and no SDK`, ...row, ...added(times.otel, times.bare, count) },
          {
            name: what,
            against: 'all of it',
            measure: 'ns',
            ...added(
              times.bare,
              times.bare.map(() => 0),
              count,
            ),
          },
        ];
      }),
  })),
];
