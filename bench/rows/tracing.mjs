import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { instrumentWebhooks } from 'event-webhook-receiver/otel';
import { pick } from '../lib/effort.mjs';
import { freshDelivery, SECRET } from '../lib/fixtures.mjs';
import { interleave, summarise } from '../lib/stats.mjs';

const file = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The receiver and its trace functions, with Node's channels or with none, each in modules of its own. */
const SOURCE = `
export { createReceiver } from ${JSON.stringify(file('src/index.ts'))};
export { traceEvent } from ${JSON.stringify(file('src/handle/tracing.ts'))};`;

const node = JSON.stringify(file('src/runtime/node.ts'));
const edge = JSON.stringify(file('src/runtime/edge.ts'));
const RUNTIMES = {
  traced: `export * from ${node};`,
  // What is exported by name comes before what `*` exports.
  bare: `export * from ${node}; export { channel, tracingChannel } from ${edge};`,
};

/** Loads them with one meaning of '#runtime'. */
async function load(folder, name) {
  const outfile = join(folder, `${name}.mjs`);
  const alias = { '#runtime': join(folder, `${name}-runtime.ts`) };
  writeFileSync(alias['#runtime'], RUNTIMES[name]);
  const stdin = { contents: SOURCE, resolveDir: file('.') };
  const options = { bundle: true, format: 'esm', platform: 'node', tsconfigRaw: '{}', logLevel: 'error' };
  await build({ stdin, outfile, alias, ...options });
  return import(pathToFileURL(outfile));
}

async function withModules(work) {
  const folder = mkdtempSync(join(tmpdir(), 'event-webhook-tracing-'));
  try {
    return await work(await load(folder, 'traced'), await load(folder, 'bare'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const CALLS = pick(1_000_000, 1_000_000, 100);
const SETTLED = Promise.resolve();
const settle = () => SETTLED;

/**
 * Functions that call `settle` as dispatch.ts does, through a trace function or at once. They are of different source, so
 * that V8 can neither inline them into the loop nor leave out the closures and messages that a receiver makes.
 */
function callersOf(source) {
  const lines = Array.from({ length: 16 }, (_, n) => `(item, index) => ${source.replaceAll('N', `${n}`)}`);
  return (trace) => new Function('trace', 'settle', `return [${lines.join()}];`)(trace, settle);
}

const callTraced = callersOf('trace(() => settle(item, index, N), { item, index: N })');
const callBare = callersOf('settle(item, index, N)');

/** Nanoseconds of a call. */
function timedCalls(callers) {
  const item = {};
  const start = performance.now();
  for (let i = 0; i < CALLS; i++) if (callers[i & 15](item, i) !== SETTLED) throw new Error('The work was not called.');
  return ((performance.now() - start) / CALLS) * 1e6;
}

/** Nanoseconds of each delivery of so many events, one after the other. */
async function timedDeliveries({ createReceiver, instrument }, count, deliveries) {
  const stop = instrument?.();
  const receiver = createReceiver({ secret: SECRET, toleranceSeconds: false, store: false, onEvent: () => {} });
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

/** The first rounds warm everything up. */
const WARM_UP = pick(2, 2, 0);
const added = (above, below, events) =>
  summarise(above.map((time, round) => (time - below[round]) / events).slice(WARM_UP));

const PIPELINES = [
  ['a delivery of 1 event', 1, pick(3000)],
  ['an event of 100', 100, pick(60)],
];

export const benchmarks = [
  {
    name: 'tracing, nobody listening',
    run: () =>
      withModules(async (traced) => {
        const candidates = { traced: callTraced(traced.traceEvent), bare: callBare() };
        const times = await interleave(candidates, pick(41, 9), timedCalls);
        const figures = added(times.traced, times.bare, 1);
        return [
          { name: 'a trace call', against: 'the call alone', measure: '+ ns', target: { max: 20 }, ...figures },
          { name: 'a trace call', against: 'all of it', measure: 'ns', ...summarise(times.traced) },
        ];
      }),
  },
  ...PIPELINES.map(([what, count, deliveries]) => ({
    name: `tracing, ${what}`,
    run: () =>
      withModules(async (traced, bare) => {
        const { createReceiver } = traced;
        const candidates = { traced, bare, otel: { createReceiver, instrument: instrumentWebhooks } };
        const times = await interleave(candidates, pick(61, 9), (each) => timedDeliveries(each, count, deliveries));
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
