import { encodeFunctionData, erc20Abi, parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import { decodeTransaction } from '../../src/evm/index.js';
import { parseTransactionIncluded } from '../../src/index.js';
import { sampleTransactionIncluded } from '../../src/testing/index.js';
import { BOB, refusal, TOKEN, word } from './events.js';

type Data = Parameters<typeof sampleTransactionIncluded>[0];

const event = (data: NonNullable<Data>['data'] = {}) => parseTransactionIncluded(sampleTransactionIncluded({ data }));

describe('decodeTransaction', () => {
  it('gives quantities as bigints, and the call by the ABI', () => {
    expect(decodeTransaction(event(), erc20Abi)).toEqual({
      hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
      to: TOKEN.toLowerCase(),
      type: 2n,
      chainId: 31337n,
      nonce: 1n,
      gas: 39_849n,
      gasPrice: null,
      maxPriorityFeePerGas: 1_000_000_000n,
      maxFeePerGas: 2_000_000_000n,
      value: 0n,
      v: 1n,
      yParity: 1n,
      input: expect.stringMatching(/^0xa9059cbb/),
      status: 'included',
      failed: false,
      blockNumber: 16n,
      blockHash: `0x${'b1'.repeat(32)}`,
      call: { functionName: 'transfer', args: [BOB, 10n ** 18n] },
    });
  });

  it('says that it failed, and decodes what it would have done', () => {
    expect(decodeTransaction(event({ failed: true }), erc20Abi)).toMatchObject({
      failed: true,
      call: { functionName: 'transfer' },
    });
  });

  it('leaves undefined what is absent, as the payload is open', () => {
    const { call, ...rest } = decodeTransaction(
      parseTransactionIncluded({ id: '1', event: 'transaction.included', data: {} }),
      erc20Abi,
    );
    expect(call).toBeUndefined();
    expect(new Set(Object.values(rest))).toEqual(new Set([undefined]));
  });

  it('takes null for absent, as of a transaction that is not in a block', () => {
    const data = { status: null, failed: null, blockNumber: null, blockHash: null } as never;
    expect(decodeTransaction(event(data))).toMatchObject({
      status: undefined,
      failed: undefined,
      blockNumber: undefined,
    });
  });

  it('has no call for a reverted transaction whose input cannot be decoded', () => {
    const tx = { input: '0xa9059cbb00' };
    expect(decodeTransaction(event({ tx, failed: true }), erc20Abi)).toMatchObject({ failed: true, call: undefined });
    expect(refusal(() => decodeTransaction(event({ tx }), erc20Abi)).code).toBe('ERR_WEBHOOK_TRANSACTION');
  });

  it('does not guess which of two functions with one selector is called', () => {
    const abi = parseAbi(['function burn(uint256)', 'function collate_propagate_storage(bytes16)']);
    const tx = { input: `0x42966c68${word(0).slice(2)}` };
    expect(refusal(() => decodeTransaction(event({ tx }), abi))).toMatchObject({
      input: 'tx.input',
      reason: 'has a selector that two functions of the ABI share. Pass only the ABI of the called contract.',
    });
    expect(decodeTransaction(event({ tx }), [...abi.slice(0, 1), ...abi.slice(0, 1)]).call).toMatchObject({
      args: [0n],
    });
  });

  it.each([
    ['no ABI is given', {}, undefined],
    ['no function has the selector', {}, parseAbi(['function mint(uint256)'])],
    ['there is no input', { input: '0x' }, erc20Abi],
    ['the input is shorter than a selector', { input: '0xa9059c' }, erc20Abi],
    ['it creates a contract', { to: null }, erc20Abi],
  ])('has no call when %s', (_, tx, abi) => {
    expect(decodeTransaction(event({ tx }), abi as typeof erc20Abi).call).toBeUndefined();
  });

  it('reads calls without arguments, with overloads, text and tuples', () => {
    const abi = parseAbi([
      'function pause()',
      'function note(string text)',
      'function note((uint8 kind, int64 at)[] marks, string text)',
    ]);
    const call = (input: string) => decodeTransaction(event({ tx: { input } }), abi).call;
    expect(call(encodeFunctionData({ abi, functionName: 'pause' }))).toEqual({
      functionName: 'pause',
      args: undefined,
    });
    const [mark, text] = [{ kind: 1, at: -5n }, '\uFEFF\0é'];
    expect(call(encodeFunctionData({ abi, functionName: 'note', args: [text] }))).toEqual({
      functionName: 'note',
      args: [text],
    });
    expect(call(encodeFunctionData({ abi, functionName: 'note', args: [[mark], text] }))).toEqual({
      functionName: 'note',
      args: [[mark], text],
    });
  });

  it.each([
    ['tx', { tx: [] as never }, 'an object'],
    ['tx.gas', { tx: { gas: '39849' } }, 'a quantity as hex text'],
    ['tx.value', { tx: { value: -1 as never } }, 'a quantity as hex text'],
    ['tx.nonce', { tx: { nonce: '0x' } }, 'a quantity as hex text'],
    ['tx.to', { tx: { to: '0x12' } }, 'an address: 0x and 40 hex digits'],
    ['tx.hash', { tx: { hash: '0x12' } }, 'a hash: 0x and 64 hex digits'],
    ['tx.input', { tx: { input: '0xa9059cbb1' } }, 'an even number of hex digits'],
    ['from', { from: 'me' }, 'an address: 0x and 40 hex digits'],
    ['blockHash', { blockHash: '0x12' }, 'a hash: 0x and 64 hex digits'],
    ['blockNumber', { blockNumber: -1 }, 'the number of a block'],
    ['blockNumber', { blockNumber: 1.5 }, 'the number of a block'],
    ['blockNumber', { blockNumber: '16' as never }, 'the number of a block'],
    ['failed', { failed: 'false' as never }, 'true or false'],
    ['status', { status: 1 as never }, 'text'],
  ])('refuses a malformed %s', (input, data, expected) => {
    const { code, message, eventId } = refusal(() => decodeTransaction(event(data), erc20Abi));
    expect(code).toBe('ERR_WEBHOOK_TRANSACTION');
    expect(message).toBe(`Event "${eventId}", ${input}: is not ${expected}. Report it to the service.`);
  });

  it('names the argument that the input lacks, by name or position', () => {
    const abi = parseAbi(['function set(uint256 to, bool)']);
    const { inputs } = abi[0];
    const set = { ...abi[0], inputs: [inputs[0], { type: 'bool' }] };
    const input = encodeFunctionData({ abi, functionName: 'set', args: [1n, true] });
    const reason = (end: number) => {
      const error = refusal(() => decodeTransaction(event({ tx: { input: input.slice(0, end) } }), [set] as never));
      return `${error.input}: ${error.reason}`;
    };
    const END = 'is not a value of its type: the data ends before it. The call does not match set of the ABI.';
    expect(reason(-64)).toBe(`tx.input, #1: ${END}`);
    expect(reason(-128)).toBe(`tx.input, to: ${END}`);
  });

  it('reads an ABI with functions of libraries and one without inputs', () => {
    const library = { type: 'function', name: 'f', inputs: [{ name: 'map', type: 'Lib.map storage' }] };
    const [pause] = parseAbi(['function pause()']);
    const abi = [library, { type: 'function', name: 'pause' }, ...erc20Abi] as never;
    expect(decodeTransaction(event(), abi)).toMatchObject({ call: { functionName: 'transfer' } });
    const input = encodeFunctionData({ abi: [pause], functionName: 'pause' });
    expect(decodeTransaction(event({ tx: { input } }), abi)).toMatchObject({
      call: { functionName: 'pause', args: undefined },
    });
  });

  it('reads block 0', () => {
    expect(decodeTransaction(event({ blockNumber: 0 })).blockNumber).toBe(0n);
  });

  it('refuses an argument that is out of the range of its type', () => {
    const abi = parseAbi(['function set((uint8 kind, bool on) mode)']);
    const [, hash] =
      encodeFunctionData({ abi, functionName: 'set', args: [{ kind: 1, on: true }] }).match(/^(0x.{8})/) ?? [];
    const input = `${hash}${word(256).slice(2)}${word(1).slice(2)}`;
    expect(refusal(() => decodeTransaction(event({ tx: { input } }), abi)).input).toBe('tx.input, mode.kind');
  });

  it('refuses two senders', () => {
    expect(refusal(() => decodeTransaction(event({ tx: { from: TOKEN } })))).toMatchObject({
      code: 'ERR_WEBHOOK_CONTRADICTION',
      input: 'from',
      reason: 'differs from tx.from, so one of them is wrong and nothing was decoded. Report it to the service.',
    });
    expect(decodeTransaction(event({ from: undefined, tx: { from: TOKEN } })).from).toBe(TOKEN.toLowerCase());
  });
});
