import { decodingBenchmark } from '../lib/decoding.mjs';
import { pick } from '../lib/effort.mjs';
import * as evm from '../lib/evm.mjs';
import { createRouter } from '../lib/ours.mjs';
import { interleave, ratios, summarise } from '../lib/stats.mjs';

const { abiOf, addressesOf, deliveriesOf, ORDERS, TRANSFER, timePerEvent, warmUp, withoutLog } = evm;

// Checksums cost more than all the rest, and both sides remember those of the last 8192 addresses. Each row has the
// addresses that are worse for us: where the other side hashes signatures as well, more than anybody remembers, which come
// round in turn; where it decodes much data, the same ten.
const MANY = pick(8400, 8400, 100);
const FEW = 10;

function transfersAmong(count) {
  const address = addressesOf(count);
  return (index) => ({ from: address(2 * index), to: address(2 * index + 1), value: 10n ** 18n + BigInt(index) });
}

function ordersAmong(count) {
  const address = addressesOf(count);
  const order = (at) => {
    const id = `0x${String(at).padStart(64, '0')}`;
    return { id, token: address(at), amount: 10n ** 18n + BigInt(at), expiry: BigInt(1_800_000_000 + at) };
  };
  return (index) => ({
    maker: address(index),
    orders: Array.from({ length: 20 }, (_, at) => order(20 * index + at)),
    note: 'Filled at the price of the day, without a fee. '.repeat(3),
  });
}

const CASES = [
  {
    name: 'Transfer, ABI of 2 events',
    item: TRANSFER,
    argsOf: () => transfersAmong(MANY),
    count: MANY / 2,
    rounds: 21,
  },
  { name: 'Transfer, last of 60 events', item: TRANSFER, argsOf: () => transfersAmong(FEW), count: 100, events: 60 },
  { name: 'a string and 20 tuples', item: ORDERS, argsOf: () => ordersAmong(FEW), count: 100 },
  {
    ...{ name: 'Transfer without rawFields', item: TRANSFER, argsOf: () => transfersAmong(MANY), count: MANY / 2 },
    ...{ prepare: withoutLog, rounds: 21 },
  },
];

const context = { idempotencyKey: 'key', timestamp: '1', tx: undefined, signal: undefined };

const throughRouter = {
  name: 'decodeEvent through contractEvent and a router',
  async run() {
    const abi = abiOf(2, TRANSFER);
    const deliveries = deliveriesOf(TRANSFER, transfersAmong(FEW), 2000);
    const [{ data }] = JSON.parse(deliveries[0]);
    const { address } = data.event.contract;
    const { dispatch } = createRouter().on(evm.contractEvent({ abi, name: 'Transfer', address }), (given) => given);
    const candidates = {
      ours: { deliveries, work: (event) => dispatch(event, context) },
      alone: { deliveries, work: (event) => evm.decodeEvent(event, abi) },
    };
    warmUp(candidates);
    const times = await interleave(candidates, pick(61, 21), timePerEvent);
    const figures = summarise(ratios(times.ours, times.alone));
    return [{ name: throughRouter.name, against: 'decodeEvent', measure: 'time ×', target: { max: 1.2 }, ...figures }];
  },
};

export const benchmarks = [...CASES.map(decodingBenchmark), throughRouter];
