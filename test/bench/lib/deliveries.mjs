import { createHmac, timingSafeEqual } from 'node:crypto';
import { freshDelivery, SECRET } from './fixtures.mjs';
import { createReceiver } from './ours.mjs';
import { interleave, ratios, summarise } from './stats.mjs';

/** The events of a delivery, verified and parsed as somebody would by hand. */
export function readByHand({ body, timestamp, signature }) {
  const expected = createHmac('sha256', SECRET).update(body).update(timestamp).digest();
  if (!timingSafeEqual(expected, Buffer.from(signature, 'hex'))) throw new Error('The signature does not match.');
  return JSON.parse(body);
}

/** A function that passes deliveries to a receiver. */
export function receive(options) {
  const receiver = createReceiver({ secret: SECRET, ...options });
  return async ({ body, timestamp, signature }) => {
    const { status } = await receiver.handle({ rawBody: body, timestamp, signature });
    return status === 200;
  };
}

/** Long enough for several commits, in ms. */
const SLICE_MS = 60;

/**
 * Times deliveries of so many new events, one delivery after the other, by two functions in turns, and gives time(ours) /
 * time(other) for each round. Each function resolves to `true` when the events took effect.
 */
export async function compareDeliveries(ours, other, events, rounds) {
  async function timed(deliver, times) {
    // Signed before the clock starts.
    const deliveries = Array.from({ length: times }, () => freshDelivery(events));
    const start = performance.now();
    for (const delivery of deliveries) {
      if ((await deliver(delivery)) !== true) throw new Error('A candidate did not do its work.');
    }
    return (performance.now() - start) / times;
  }
  // The first calls compile code and open connections.
  for (const deliver of [ours, other]) await timed(deliver, 20);
  const times = Math.max(2, Math.round(SLICE_MS / (await timed(other, 5))));
  const figures = await interleave({ ours, other }, rounds, (deliver) => timed(deliver, times));
  return summarise(ratios(figures.ours, figures.other));
}

/** The rows of a store that handles deliveries at once, and of the same one event at a time, each beside one by hand. */
export function deliveryBenchmarks({ name, against, skipped, targets, loose = {}, withStore }) {
  const benchmark = (kind, events, target) => {
    const label = `${name}, ${kind}, ${events} ${events === 1 ? 'event' : 'events'}`;
    return {
      name: label,
      skipped,
      run: ({ quick }) =>
        withStore(async ({ [kind]: options, byHand }) => {
          const result = await compareDeliveries(receive(options), byHand, events, quick ? 9 : 31);
          return [{ name: label, against, measure: 'time ×', target, ...result }];
        }),
    };
  };
  const atOnce = Object.entries(targets).map(([events, max]) => benchmark('onEvents', Number(events), max && { max }));
  const oneByOne = Object.entries(loose).map(([events, max]) => benchmark('onEvent', Number(events), max && { max }));
  return [...atOnce, ...oneByOne];
}
