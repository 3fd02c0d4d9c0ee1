import { equal, thrownBy } from '../../matrix/cases/check.js';
import type { Case } from './suite.js';

const transfer = {
  type: 'event',
  name: 'Transfer',
  inputs: [
    { name: 'from', type: 'address', indexed: true },
    { name: 'to', type: 'address', indexed: true },
    { name: 'value', type: 'uint256' },
  ],
} as const;

/** The parts of the package that are used beside a handler. */
export const partCases: readonly Case[] = [
  {
    name: './evm decodes an event, and refuses one that its log contradicts',
    async run(lab) {
      const { decodeEvent, contractEvent } = lab.lib.evm;
      const sample = lab.sample();
      const { args } = decodeEvent(sample, [transfer]);
      equal([args.to, args.value], ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8', 10n ** 18n]);
      const inputs = sample.data.event.inputs.map((input) =>
        input.name === 'value' ? { ...input, value: '2' } : input,
      );
      const changed = lab.lib.testing.sampleEventEmitted({ data: { event: { inputs } } });
      equal((await thrownBy(() => decodeEvent(changed, [transfer]))).code, 'ERR_WEBHOOK_CONTRADICTION');
      const values: bigint[] = [];
      const matcher = contractEvent({ abi: [transfer], name: 'Transfer' });
      const router = lab.lib.root.createRouter().on(matcher, ({ args }) => void values.push(args.value));
      equal((await lab.start({ onEvent: router.dispatch }).post(await lab.genuine())).status, 200);
      equal(values, [10n ** 18n]);
    },
  },
];
