import { pick } from '../lib/effort.mjs';
import { freshDelivery, SECRET } from '../lib/fixtures.mjs';
import { createReceiver, verifySignature } from '../lib/ours.mjs';
import { interleave, ratios, summarise } from '../lib/stats.mjs';

const SIZES = [1, 10, 100, 1000, 10_000];
const EVENTS = 10_000;
/** The first rounds warm everything up. */
const WARM_UP = pick(2, 2, 0);

const receiver = createReceiver({
  toleranceSeconds: false,
  secret: SECRET,
  maxBodyBytes: 2 ** 30,
  maxArrivingBytes: 2 ** 30,
  onEvent: () => {},
});

async function handle({ rawBody, signature, timestamp }) {
  const { status } = await receiver.handle({ rawBody, signature, timestamp });
  if (status !== 200) throw new Error(`The receiver answered ${status}.`);
}

/** The same steps with nothing around them: how much longer V8 itself takes for an event among many. */
async function handleBare({ rawBody: body, signature, timestamp }) {
  if (!verifySignature(body, signature, timestamp, SECRET)) throw new Error('The signature is not genuine.');
  JSON.parse(body.toString());
}

async function timePerDelivery(handler, size) {
  const count = EVENTS / Math.max(1, size);
  const deliveries = Array.from({ length: count }, () => freshDelivery(size));
  globalThis.gc();
  const start = performance.now();
  for (const delivery of deliveries) await handler(delivery);
  return (performance.now() - start) / count;
}

const HANDLERS = [
  [handle, 'per event at 100', { min: 0.85, max: 1.15 }],
  [handleBare, 'same, verify + JSON.parse alone', undefined],
];

export const benchmarks = [
  {
    name: 'events a delivery',
    async run() {
      const candidates = {};
      for (const [handler] of HANDLERS) {
        for (const size of [0, ...SIZES]) candidates[`${handler.name} ${size}`] = { handler, size };
      }
      const times = await interleave(candidates, pick(12, 4), ({ handler, size }) => timePerDelivery(handler, size));
      // What an empty delivery takes is paid once, however many events there are.
      const perEvent = ({ name }, size) => {
        const fixed = times[`${name} 0`];
        return times[`${name} ${size}`].map((time, round) => (time - fixed[round]) / size).slice(WARM_UP);
      };
      return SIZES.filter((size) => size !== 100).flatMap((size) =>
        HANDLERS.map(([handler, against, target]) => {
          const figures = summarise(ratios(perEvent(handler, size), perEvent(handler, 100)));
          return { name: `time per event, ${size} a delivery`, against, measure: 'time ×', target, ...figures };
        }),
      );
    },
  },
];
