import { deepStrictEqual } from 'node:assert/strict';
import { decodeEventLog } from 'viem';
import { pick } from './effort.mjs';
import * as evm from './evm.mjs';
import { interleave, ratios, summarise } from './stats.mjs';

const itself = (event) => event;

/** Compares `decodeEvent` with viem's `decodeEventLog` over events of an ABI. */
export function decodingBenchmark({ name: label, item, argsOf, count, events = 2, prepare = itself, rounds = 41 }) {
  const name = `decodeEvent ${label}`;
  return {
    name,
    async run() {
      const abi = evm.abiOf(events, item);
      const deliveries = evm.deliveriesOf(item, argsOf(), count);
      const decode = ({ topics, data }) => decodeEventLog({ abi, topics, data });
      const candidates = {
        ours: { deliveries, prepare, work: (event) => evm.decodeEvent(event, abi) },
        viem: { deliveries, prepare: evm.logOf, work: decode },
      };
      const [first] = JSON.parse(deliveries[0]);
      const { args } = decode(evm.logOf(first));
      deepStrictEqual(evm.decodeEvent(prepare(first), abi).args, args);
      evm.warmUp(candidates);
      const times = await interleave(candidates, pick(rounds, 9), evm.timePerEvent);
      const figures = summarise(ratios(times.viem, times.ours));
      return [{ name, against: 'viem decodeEventLog', measure: 'speed ×', target: { min: 2 }, ...figures }];
    },
  };
}
