import { encodeAbiParameters, encodeFunctionData, type Hex, padHex, parseAbi, toEventSelector } from 'viem';
import { describe, expect, it } from 'vitest';
import { contractAbi } from '../../src/chain/contract-abi.js';

type Log = Parameters<ReturnType<typeof contractAbi>['emitted']>[0];

const signatureOf = (abi: readonly unknown[], log: Log) => contractAbi(abi).emitted(log)?.signature;

describe('the event of a log', () => {
  const word = padHex('0x1', { size: 32 });

  it('is the one with as many indexed inputs as the log has topics', () => {
    const topic = toEventSelector('Transfer(address,address,uint256)');
    const abi = [
      'event Transfer(address indexed from, address indexed to, uint256 indexed id)',
      'event Transfer(address indexed from, address indexed to, uint256 value)',
    ];
    const inputsOf = (log: Log) => contractAbi(parseAbi(abi)).emitted(log)?.inputs[2]?.name;
    expect(inputsOf({ topics: [topic, word, word, word], data: '0x' })).toBe('id');
    expect(inputsOf({ topics: [topic, word, word], data: word })).toBe('value');
    expect(inputsOf({ topics: [topic, word], data: `0x${word.slice(2).repeat(2)}` })).toBeUndefined();
    const none: Log = { topics: [toEventSelector('None()')], data: '0x' };
    expect(signatureOf([{ type: 'event', name: 'None' }], none)).toBe('None()');
  });

  it('that is anonymous is the one whose encoding is all of the data, at any position in the ABI', () => {
    const [list, words] = parseAbi(['event List(int256[] values)', 'event Words(uint256 value, string text)']);
    const abi = [list, words].map((event) => ({ ...event, anonymous: true }));
    const ofWords = encodeAbiParameters([{ type: 'uint256' }, { type: 'string' }], [0n, '']);
    const ofList = encodeAbiParameters([{ type: 'int256[]' }], [[-1n]]);
    for (const each of [abi, abi.toReversed()]) {
      expect(signatureOf(each, { topics: [], data: ofWords })).toBe('Words(uint256,string)');
      expect(signatureOf(each, { topics: [], data: ofList })).toBe('List(int256[])');
    }
  });

  it('may have more data than its inputs, when no other fits', () => {
    const topic = toEventSelector('Said(uint256)');
    const data = `${word}00` as const;
    expect(signatureOf(parseAbi(['event Said(uint256 a)']), { topics: [topic], data })).toBe('Said(uint256)');
    expect(signatureOf(parseAbi(['event Said(uint256 a)']), { topics: [topic], data: '0x12' })).toBeUndefined();
    expect(signatureOf(parseAbi(['event Said(uint8 a)']), { topics: [topic], data })).toBeUndefined();
  });
});

describe('the call of a transaction', () => {
  it('has arguments with an empty name where the ABI names none', () => {
    const abi = parseAbi(['function pay(uint8, uint8 times)']);
    const data = encodeFunctionData({ abi, functionName: 'pay', args: [2, 3] });
    expect(contractAbi(abi).called(data)?.inputs).toEqual([
      { name: '', value: '2', type: 'uint8' },
      { name: 'times', value: '3', type: 'uint8' },
    ]);
  });

  it('is undefined if no function matches the data, or the arguments are missing', () => {
    const abi = parseAbi(['function pay(address to, uint8 times)', 'function pay()']);
    const { called } = contractAbi(abi);
    const data = encodeFunctionData({ abi, functionName: 'pay', args: [padHex('0x1', { size: 20 }), 3] });
    expect(called(data)?.inputs.map(({ value }) => value)).toEqual([padHex('0x1', { size: 20 }), '3']);
    expect(called(encodeFunctionData({ abi, functionName: 'pay', args: [] }))).toEqual({
      name: 'pay',
      signature: 'pay()',
      inputs: [],
    });
    for (const other of ['0x', '0x12345678', data.slice(0, -2)]) expect(called(other as Hex)).toBeUndefined();
  });

  it('is undefined if two functions share its selector', () => {
    const first = parseAbi(['function collate_propagate_storage(bytes16 a)']);
    const second = parseAbi(['function burn(uint256 a)']);
    const data = encodeFunctionData({ abi: second, args: [0n] });
    expect(contractAbi(first).called(data)?.name).toBe('collate_propagate_storage');
    expect(contractAbi([...second, ...second]).called(data)?.name).toBe('burn');
    expect(contractAbi([...first, ...second]).called(data)).toBeUndefined();
  });

  it('leaves out a function with a tuple without components, and decodes the others', () => {
    const broken = { type: 'function', name: 'set', inputs: [{ name: 'a', type: 'tuple' }] };
    const abi = [broken, ...parseAbi(['function pay(uint8 times)'])];
    const { called, skipped } = contractAbi(abi);
    expect(skipped).toEqual(['function set']);
    expect(called(encodeFunctionData({ abi: parseAbi(['function pay(uint8 times)']), args: [2] }))?.name).toBe('pay');
  });

  it('leaves out the functions of libraries, whose types no transaction has', () => {
    const library = { type: 'function', name: 'of', inputs: [{ name: 'self', type: 'Set.Data storage' }] };
    expect(contractAbi([library]).called('0x12345678')).toBeUndefined();
  });
});
