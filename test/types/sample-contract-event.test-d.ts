import { type Abi, parseAbi } from 'abitype';
import { describe, expectTypeOf, test } from 'vitest';
import type { EventEmitted } from '../../src/index.js';
import { type SampleArgs, sampleContractEvent } from '../../src/testing/index.js';

const abi = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Named(string indexed name, (uint8 kind, bytes note)[] items)',
  'event Paused()',
  'event Pair(bool, uint8)',
  'event Set(uint256 value)',
  'event Set(string value)',
]);
const FROM = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
declare const anyAbi: Abi;

describe('the arguments of sampleContractEvent', () => {
  test('are those of the event by name, with values where a log has hashes', () => {
    expectTypeOf<SampleArgs<typeof abi, 'Named'>>().branded.toEqualTypeOf<{
      name: string;
      items: readonly { kind: number; note: `0x${string}` }[];
    }>();
    expectTypeOf<SampleArgs<typeof abi, 'Paused'>>().toEqualTypeOf<undefined>();
    expectTypeOf<SampleArgs<typeof abi, 'Pair'>>().toEqualTypeOf<readonly [boolean, number]>();
    expectTypeOf<SampleArgs<typeof abi, 'Set'>>().branded.toEqualTypeOf<{ value: bigint } | { value: string }>();
  });

  test('are checked', () => {
    const args = { from: FROM, to: FROM, value: 1n } as const;
    expectTypeOf(sampleContractEvent({ abi, name: 'Transfer', args })).toEqualTypeOf<EventEmitted>();
    sampleContractEvent({ abi, name: 'Transfer(address,address,uint256)', args });
    sampleContractEvent({ abi, name: 'Paused' });
    sampleContractEvent({ abi, name: 'Pair', args: [true, 1] });
    sampleContractEvent({ abi, name: 'Named', args: { name: 'x', items: [{ kind: 1, note: '0x' }] }, removed: true });
    // @ts-expect-error: an amount is a bigint
    sampleContractEvent({ abi, name: 'Transfer', args: { ...args, value: 1 } });
    // @ts-expect-error: an input is missing
    sampleContractEvent({ abi, name: 'Transfer', args: { from: FROM, to: FROM } });
    // @ts-expect-error: the arguments are missing
    sampleContractEvent({ abi, name: 'Transfer' });
    // @ts-expect-error: no event of that name
    sampleContractEvent({ abi, name: 'Transfr', args });
    // @ts-expect-error: no option of that name
    sampleContractEvent({ abi, name: 'Paused', adress: FROM });
    // @ts-expect-error: text is not an ABI
    sampleContractEvent({ abi: ['event Paused()'], name: 'Paused' });
  });
});
