import { createHmac, timingSafeEqual } from 'node:crypto';
import { pick } from './effort.mjs';
import { freshDelivery, SECRET } from './fixtures.mjs';
import { createReceiver } from './ours.mjs';
import { interleave, ratios, summarise } from './stats.mjs';

/** The events of a delivery, verified and parsed as somebody would by hand. */
export function readByHand({ rawBody: body, timestamp, signature }) {
  const expected = createHmac('sha256', SECRET).update(body).update(timestamp).digest();
  if (!timingSafeEqual(expected, Buffer.from(signature, 'hex'))) throw new Error('The signature does not match.');
  return JSON.parse(body);
}

/** A function that passes deliveries to a receiver. */
export function receive(options) {
  const receiver = createReceiver({ secret: SECRET, ...options });
  return async ({ rawBody: body, timestamp, signature }) => {
    const { status } = await receiver.handle({ rawBody: body, timestamp, signature });
    return status === 200;
  };
}

/** Long enough for several commits, in ms. */
const SLICE_MS = pick(60);

/** Milliseconds for one delivery of so many new events, one delivery after the other. */
async function timed(deliver, events, times) {
  // Signed before the clock starts.
  const deliveries = Array.from({ length: times }, () => freshDelivery(events));
  const start = performance.now();
  for (const delivery of deliveries) {
    if ((await deliver(delivery)) !== true) throw new Error('A candidate did not do its work.');
  }
  return (performance.now() - start) / times;
}

/** How long each candidate runs before it is timed, in ms: a server runs for days, with compiled code and open connections. */
const WARM_UP_MS = pick(1000, 1000, 0);

/** Warms up, and gives how many deliveries fill a slice. */
async function calibrate(deliver, events) {
  const start = performance.now();
  do await timed(deliver, events, pick(5));
  while (performance.now() - start < WARM_UP_MS);
  return Math.max(pick(2), Math.round(SLICE_MS / (await timed(deliver, events, pick(5)))));
}

/** Times two functions in turns and gives time(ours) / time(other) for each round. Each resolves to `true` when it worked. */
async function compareDeliveries(ours, other, events, rounds) {
  await calibrate(ours, events);
  const times = await calibrate(other, events);
  return ratios(...Object.values(await interleave({ ours, other }, rounds, (each) => timed(each, events, times))));
}

const MANY = 1000;
const SOME = 100;

/** The time per event in a large delivery beside that in a smaller one, for each round. */
async function growth(deliver, rounds) {
  const sizes = { many: MANY, some: SOME };
  const times = { many: await calibrate(deliver, MANY), some: await calibrate(deliver, SOME) };
  const perEvent = async (events, name) => (await timed(deliver, events, times[name])) / events;
  const figures = await interleave(sizes, rounds, perEvent);
  return ratios(figures.many, figures.some);
}

/**
 * The rows of a store that handles deliveries at once, beside what somebody would write by hand: by number of events, how
 * much longer it may take. All of them run on one server.
 */
export function deliveryBenchmark({ name, against, skipped, targets, withStore }) {
  const rounds = pick(31, 9);
  const row = (label, beside, max, figures) => ({
    ...{ name: `${name}, ${label}`, against: beside, measure: 'time ×', target: { max } },
    ...summarise(figures),
  });
  const run = () =>
    withStore(async ({ onEvents, byHand }) => {
      const rows = [];
      for (const [events, max] of Object.entries(targets)) {
        const figures = await compareDeliveries(receive(onEvents), byHand, Number(events), rounds);
        rows.push(row(`onEvents, ${events} at once`, against, max, figures));
      }
      const figures = await growth(receive(onEvents), rounds);
      return [...rows, row(`onEvents, ${MANY} at once`, `an event of ${SOME}`, 1.3, figures)];
    });
  return { name, skipped, run };
}
