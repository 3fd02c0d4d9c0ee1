import { decodeEventLog } from 'viem';
import { pick } from '../lib/effort.mjs';
import {
  AMOUNTS,
  abiOf,
  addressesOf,
  decodeEvent,
  deliveriesOf,
  logOf,
  TRANSFER,
  timePerEvent,
  warmUp,
} from '../lib/evm.mjs';
import { interleave, ratios, summarise } from '../lib/stats.mjs';

const address = addressesOf(10);
const FLAT = { min: 0.85, max: 1.15 };

/** What either side does with an event; viem gets the parsed log. */
const SIDES = {
  ours: (abi) => ({ work: (event) => decodeEvent(event, abi) }),
  viem: (abi) => ({ prepare: logOf, work: ({ topics, data }) => decodeEventLog({ abi, topics, data }) }),
};

const ofEvents = {
  name: 'decodeEvent growth, events of the ABI',
  async run() {
    const argsOf = (index) => ({ from: address(index), to: address(index + 1), value: BigInt(index) });
    const candidates = {};
    for (const [side, count] of [
      ['ours', 1000],
      ['viem', 10],
    ]) {
      const deliveries = deliveriesOf(TRANSFER, argsOf, count);
      for (const events of [2, 200]) {
        candidates[`${side} ${events}`] = { deliveries, ...SIDES[side](abiOf(events, TRANSFER)) };
      }
    }
    warmUp(candidates);
    const times = await interleave(candidates, pick(61, 21), timePerEvent);
    const row = (against, side, target) => {
      const figures = summarise(ratios(times[`${side} 200`], times[`${side} 2`]));
      return { name: 'decodeEvent, last of 200 events', against, measure: 'time ×', target, ...figures };
    };
    return [row('ABI of 2', 'ours', { max: 1.15 }), row('same, viem decodeEventLog', 'viem')];
  },
};

/** How many events of an array of so many elements are a slice of time. */
const COUNTS = new Map([
  [0, 500],
  [10, 500],
  [1000, 10],
  [10_000, 1],
]);

const ofElements = {
  name: 'decodeEvent growth, elements of a uint256[]',
  async run() {
    const candidates = {};
    for (const [size, count] of COUNTS) {
      const argsOf = (index) => ({
        owner: address(index),
        amounts: Array.from({ length: size }, (_, at) => 10n ** 18n + BigInt(index + at)),
      });
      const deliveries = deliveriesOf(AMOUNTS, argsOf, count);
      for (const side in SIDES) candidates[`${side} ${size}`] = { deliveries, ...SIDES[side](abiOf(2, AMOUNTS)) };
    }
    warmUp(candidates);
    const times = await interleave(candidates, pick(41, 9), timePerEvent);
    const of = (side, size) => times[`${side} ${size}`];
    // What an event with no elements takes is paid once, however many there are.
    const perElement = (side, size) => of(side, size).map((time, round) => (time - of(side, 0)[round]) / size);
    const flat = (size, against, side, target) => {
      const figures = summarise(ratios(perElement(side, size), perElement(side, 1000)));
      return { name: `decodeEvent, time per element of ${size}`, against, measure: 'time ×', target, ...figures };
    };
    return [10, 1000, 10_000].flatMap((size) => [
      {
        ...{ name: `decodeEvent, uint256[] of ${size}`, against: 'viem decodeEventLog', measure: 'speed ×' },
        ...summarise(ratios(of('viem', size), of('ours', size))),
      },
      ...(size === 1000
        ? []
        : [
            // Ten take hardly more than two times differ by anyway.
            flat(size, 'per element of 1000', 'ours', size > 1000 ? FLAT : undefined),
            flat(size, 'same, viem decodeEventLog', 'viem'),
          ]),
    ]);
  },
};

export const benchmarks = [ofEvents, ofElements];
