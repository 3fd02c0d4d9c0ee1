import { parseAbi } from 'abitype';
import { type DeliveryItem, parseDelivery } from 'event-webhook-receiver';
import { sampleEventEmitted, sampleTransactionIncluded } from 'event-webhook-receiver/testing';
import { encodeAbiParameters, encodeFunctionData, toEventSelector } from 'viem';
import { describe, expect, it } from 'vitest';
import { type ItemView, itemView } from '../../src/deliveries/item-view.js';
import type { KnownContract, KnownContracts } from '../../src/deliveries/known-contracts.js';
import { transferOf } from './records.js';

const whole = { cut: (text: string) => text, spend: () => true };
const view = (event: unknown, known?: KnownContract): ItemView => {
  const [item] = parseDelivery(JSON.stringify([event]));
  if (item === undefined) throw new Error('There is no item.');
  const contracts = { get: () => known } as Partial<KnownContracts> as KnownContracts;
  return itemView(item, contracts, whole);
};
const amounts = ({ inputs = [] }: ItemView) => inputs.map(({ exact, formatted }) => [exact, formatted]);

const transfer = (value: bigint) => transferOf(String(value), encodeAbiParameters([{ type: 'uint256' }], [value]));

describe('an amount of a token', () => {
  it.each([
    [1_500_000n, 6, '1.5'],
    [2_000_000n, 6, '2'],
    [1n, 6, '0.000001'],
    [0n, 6, '0'],
    [7n, 0, '7'],
    [7n, undefined, undefined],
    [7n, 1.5, undefined],
    [7n, -1, undefined],
    [7n, 256, undefined],
  ])('of %s with %s decimals is %s', (value, decimals, formatted) => {
    const event = transfer(value);
    expect(amounts(view(event, { decimals }))).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      [String(value), formatted],
    ]);
  });

  it('is formatted for transfers and approvals only', () => {
    const abi = (name: string) =>
      parseAbi([`event ${name}(address indexed from, address indexed to, uint256 value)`] as readonly string[]);
    const named = (name: string) => {
      const event = transfer(1_500_000n);
      const signature = `${name}(address,address,uint256)`;
      const log = JSON.parse(event.data.event.rawFields ?? '');
      const rawFields = JSON.stringify({ ...log, topics: [toEventSelector(signature), ...log.topics.slice(1)] });
      return sampleEventEmitted({
        id: event.id,
        data: { ...event.data, event: { ...event.data.event, name, signature, rawFields } },
      });
    };
    const amount = (name: string) => amounts(view(named(name), { abi: abi(name), decimals: 6 }))[2];
    expect(['Transfer', 'Approval', 'Minted'].map(amount)).toEqual([
      ['1500000', '1.5'],
      ['1500000', '1.5'],
      ['1500000', undefined],
    ]);
  });
});

describe('an event', () => {
  it('whose log has been tampered with is shown as it came', () => {
    const sample = sampleEventEmitted();
    const event = sampleEventEmitted({ data: { event: { ...sample.data.event, rawFields: 'no log' } } });
    const shown = view(event, { decimals: 6 });
    expect(shown).toMatchObject({ status: 'event', name: 'Transfer', removed: undefined });
    expect(shown.inputs?.every(({ exact }) => exact === undefined)).toBe(true);
    expect(shown.inputs?.map(({ value }) => value)).toEqual(sample.data.event.inputs.map(({ value }) => value));
  });

  it('is shown without what it lacks, and with the symbol of its token', () => {
    const { name, value: amount } = transfer(15n).data.event.inputs[2] ?? {};
    const known = view(transfer(15n), { decimals: 1, symbol: 'TOK' }).inputs?.[2];
    expect(known).toMatchObject({ name, value: amount, formatted: '1.5', symbol: 'TOK' });
    const bare = { label: '', addressLabel: 'other' };
    const lacking = (transaction: object | undefined) =>
      view(sampleEventEmitted({ data: { transaction, event: { contract: bare, rawFields: undefined } } } as never), {
        abi: [],
      });
    expect(lacking(undefined)).toMatchObject({ transaction: undefined, contract: { label: 'other' } });
    expect(lacking({ from: undefined, method: undefined }).transaction).toMatchObject({ from: '', method: undefined });
    expect(view({ id: 1 })).toMatchObject({ status: 'invalid', issues: [{ path: 'id' }, { path: 'event' }] });
  });

  it('is decoded by the order of its inputs where its ABI names none', () => {
    const abi = parseAbi(['event Transfer(address indexed, address indexed, uint256)']);
    expect(amounts(view(transfer(1_500_000n), { abi, decimals: 6 }))[2]).toEqual(['1500000', '1.5']);
  });

  it('shows a hashed input as it came, without a number', () => {
    const [from, to, value] = sampleEventEmitted().data.event.inputs;
    const inputs = [from, to, { ...value, hashed: true }] as never;
    expect(amounts(view(sampleEventEmitted({ data: { event: { inputs } } })))[2]).toEqual([undefined, undefined]);
  });

  it('is not decoded when the items of its delivery have used up what may be decoded', () => {
    const [item] = parseDelivery(JSON.stringify([transfer(7n)]));
    const abi = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)']);
    const contracts = { get: () => ({ abi }) } as Partial<KnownContracts> as KnownContracts;
    const spent = itemView(item as DeliveryItem, contracts, { ...whole, spend: () => false });
    expect(amounts(spent).every(([exact]) => exact === undefined)).toBe(true);
  });
});

describe('a transaction', () => {
  const abi = parseAbi([
    'struct Part { address to; uint256[] amounts; }',
    'function pay(Part[] parts, bool fast, string memo)',
  ]);
  const to = `0x${'5f'.repeat(20)}` as const;
  const parts = [{ to, amounts: [1n, 2n ** 255n] }] as const;
  const data = encodeFunctionData({ abi, functionName: 'pay', args: [parts, true, 'rent'] });

  it('is shown with the arguments of its call, the large numbers exact, where its ABI is known', () => {
    const shown = view(sampleTransactionIncluded({ data: { tx: { to, input: data } } }), { abi });
    expect(shown).toMatchObject({ name: 'pay', contract: { address: to }, transaction: { method: 'pay' } });
    const [paid = '', ...rest] = (shown.inputs ?? []).map(({ value }) => value);
    expect(JSON.parse(paid)).toEqual([
      { to: expect.stringMatching(/^0x(5f){20}$/i), amounts: ['1', String(2n ** 255n)] },
    ]);
    expect(rest).toEqual(['true', 'rent']);
  });

  it('is shown without a call where the ABI is of something else', () => {
    const shown = view(sampleTransactionIncluded({ data: { tx: { to, input: '0x12345678' } } }), { abi });
    expect(shown).toMatchObject({ name: undefined, inputs: [], contract: { address: to } });
  });

  it('is shown as far as it is told: its block, whether it failed, and what it lacks as nothing', () => {
    const told = sampleTransactionIncluded({ data: { status: 'included', failed: true, blockNumber: 7, from: to } });
    expect(view(told).transaction).toMatchObject({ blockNumber: '7', status: 'included, failed', from: to });
    const bare = { tx: null, status: undefined, failed: undefined, blockNumber: undefined, from: undefined } as never;
    expect(view(sampleTransactionIncluded({ data: bare }))).toMatchObject({
      status: 'event',
      contract: undefined,
      transaction: { hash: '', from: '', blockNumber: undefined, status: undefined },
    });
  });
});
