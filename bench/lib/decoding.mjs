import { deepStrictEqual } from 'node:assert/strict';
import { decodeEventLog } from 'viem';
import { pick } from './effort.mjs';
import * as evm from './evm.mjs';
import { interleave, ratios, summarise } from './stats.mjs';

const itself = (event) => event;

/** Compares `decodeEvent` with viem's `decodeEventLog` over events of an ABI, with the parsing of the log and without. */
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
        parsing: { deliveries, work: (event) => decode(evm.logOf(event)) },
      };
      const [first] = JSON.parse(deliveries[0]);
      const { args } = decode(evm.logOf(first));
      deepStrictEqual(evm.decodeEvent(prepare(first), abi).args, args);
      evm.warmUp(candidates);
      const times = await interleave(candidates, pick(rounds, 9), evm.timePerEvent);
      const row = (against, other, target) => {
        return { name, against, measure: 'speed ×', target, ...summarise(ratios(times[other], times.ours)) };
      };
      return [row('viem decodeEventLog', 'viem', { min: 2 }), row('same, and JSON.parse(rawFields)', 'parsing')];
    },
  };
}
