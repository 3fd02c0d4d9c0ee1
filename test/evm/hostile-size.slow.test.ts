import { type Abi, numberToHex } from 'viem';
import { describe, it } from 'vitest';
import type { JsonValue } from '../../src/events/types.js';
import { emissionOf, emitted } from './arbitrary.js';
import type { Param, Value } from './arbitrary-types.js';
import { plain, wireInputs } from './arbitrary-wire.js';
import type { EventAbi } from './encode.js';
import { outcome, refusalOf } from './refusal.js';

const word = (number: bigint | number) => numberToHex(number, { size: 32 }).slice(2);
const MAX = 2n ** 256n - 1n;
const MANY = 10_000_000;
const tuple = { type: 'tuple', components: [{ name: 'kind', type: 'uint8' }] };

const other = emissionOf({ name: '', type: 'bool' }, true);

/** An event of one input that is on the wire as given, with the log of another value or with none. */
function single(type: string | Omit<Param, 'name'>, value: JsonValue, logged?: Value) {
  const param: Param = { name: 'only', ...(typeof type === 'string' ? { type } : type) };
  const item: EventAbi = { type: 'event', name: 'Single', inputs: [param] };
  const bare = { ...other, item, abi: [item] as unknown as Abi };
  const { abi, ...emission } = logged === undefined ? bare : emissionOf(param, logged);
  const inputs = [{ name: 'only', value, hashed: false, type: param.type }];
  return { event: emitted({ abi, ...emission }, inputs, logged === undefined ? 'none' : undefined), abi };
}

/** Read or refused; `outcome` looks at the clock. */
function expectAnswer(type: string | Omit<Param, 'name'>, value: JsonValue, logged?: Value): void {
  const { event, abi } = single(type, value, logged);
  outcome(event, abi);
}

describe('an input of 10 MB', { timeout: 60_000 }, () => {
  const digits = '9'.repeat(MANY);
  const zeros = '0'.repeat(MANY);
  const numbers: [title: string, text: string][] = [
    ['digits', digits],
    ['digits below zero', `-${digits}`],
    ['hex digits', `0x${'f'.repeat(MANY)}`],
    ['hex zeros', `0x${zeros}`],
    ['zeros before a one', `${zeros}1`],
    ['zeros after a one', `1${zeros}`],
    ['zeros between two ones', `1${zeros}1`],
    ['zeros after a point', `1.${zeros}`],
    ['zeros between a point and a one', `0.${zeros}1`],
    ['digits on both sides of a point', `${digits}.${digits}`],
    ['zeros before a letter', `1${zeros}x`],
    ['signs', '-'.repeat(MANY)],
    ['points', '.'.repeat(MANY)],
    ['spaces', ' '.repeat(MANY)],
  ];
  it.each(numbers)('is rejected fast in place of a simple value: %s', (_, text) => {
    for (const type of ['uint8', 'int256', 'address', 'bool', 'bytes', 'bytes32']) expectAnswer(type, text);
    expectAnswer('uint256', text, 1n);
    expectAnswer('int8', text, -100n);
    expectAnswer('bool', text, true);
    expectAnswer('bytes32', text, other.log.blockHash);
    expectAnswer('string', text, 'text');
  });

  const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const lists: [title: string, text: string][] = [
    ['one number', `[${digits}]`],
    ['one number as text', `["${digits}"]`],
    ['one decimal', `["1.${zeros}"]`],
    ['one exponent', `[1e${digits}]`],
    ['many numbers', `[${'12345678,'.repeat(MANY / 9)}1]`],
    ['many texts', `["${'x'.repeat(8)}"${`,"${'x'.repeat(8)}"`.repeat(MANY / 11)}]`],
    ['spaces', `[${' '.repeat(MANY)}]`],
    ['escapes', `["${'\\u0000'.repeat(MANY / 6)}"]`],
    ['one large key', `{"${digits}":1}`],
    ['many keys', `{${Array.from({ length: MANY / 100 }, (_, at) => `"${'k'.repeat(90)}${at}":1`)}}`],
    ['a list 100 000 deep', nested],
    ['a list 100 000 deep without an end', '['.repeat(100_000)],
    ['an object 100 000 deep', `${'{"kind":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['a list 100 000 deep in an object', `{"kind":${nested}}`],
  ];
  it.each(lists)('is rejected fast in place of a list or a tuple: %s', (_, text) => {
    for (const type of ['uint256[]', 'string[]', tuple]) expectAnswer(type, text);
    const { event, abi } = single('uint256[]', text, [1n, 2n]);
    refusalOf(event, abi);
    expectAnswer(tuple, text, [1n]);
  });

  it('is fast where it is not decoded: names, types, signatures, and in place of a log', () => {
    const [many, brackets] = ['(('.repeat(MANY / 2), '[1]'.repeat(MANY / 3)];
    for (const text of [
      digits,
      nested,
      many,
      brackets,
      '[]'.repeat(MANY / 2),
      `(${'),'.repeat(MANY / 2)}`,
      `tuple${brackets}x`,
      `(${')[1]'.repeat(MANY / 4)}x`,
    ]) {
      for (const logged of [undefined, 1n]) {
        const { event, abi } = single('uint8', '1', logged);
        const { event: emitted } = event.data;
        for (const key of ['signature', 'name', 'rawFields']) {
          outcome({ ...event, data: { ...event.data, event: { ...emitted, [key]: text } } }, abi);
        }
        for (const key of ['name', 'type']) {
          const inputs = emitted.inputs.map((input) => ({ ...input, [key]: text }));
          outcome({ ...event, data: { ...event.data, event: { ...emitted, inputs } } }, abi);
        }
      }
    }
  });
});

describe('a log made to cost much', { timeout: 60_000 }, () => {
  const bombs: [title: string, type: string, data: string][] = [
    ['a pointer to itself', 'uint256[]', word(0)],
    ['a length beyond all data', 'uint256[]', word(32) + word(MAX)],
    ['a length of four thousand million', 'uint256[]', word(32) + word(2n ** 32n)],
    ['a length beyond all data, of bytes', 'bytes', word(32) + word(2n ** 53n)],
    ['a length beyond all data, of text', 'string', word(32) + word(MAX - 31n)],
    ['pointers to themselves, three deep', 'uint256[][][]', word(32) + word(2) + word(0) + word(0)],
    ['lists that hold themselves, ten deep', `uint256${'[]'.repeat(10)}`, word(32) + word(30) + word(0).repeat(30)],
    [
      'lists that point to one before them',
      `uint256${'[]'.repeat(10)}`,
      word(32) + (word(100) + word(MAX - 31n).repeat(100)).repeat(2),
    ],
    [
      'lists that all point to the next',
      `string${'[]'.repeat(8)}`,
      word(32) + (word(64) + word(64 * 32).repeat(64)).repeat(9),
    ],
    [
      'one megabyte of which each of many is a copy',
      'bytes[]',
      word(32) + word(8000) + word(8000 * 32).repeat(8000) + word(500_000) + 'ab'.repeat(500_000),
    ],
    [
      'one long text of which each of many is a copy',
      'string[]',
      word(32) + word(8000) + word(8000 * 32).repeat(8000) + word(500_000) + '61'.repeat(500_000),
    ],
    [
      'many empty lists at one place',
      'uint8[][][]',
      word(32) +
        word(20_000) +
        word(20_000 * 32).repeat(20_000) +
        word(20_000) +
        word(20_000 * 32).repeat(20_000) +
        word(0),
    ],
    ['ten megabytes that nothing points to', 'uint256[]', word(32) + word(0) + '00'.repeat(10_000_000)],
  ];
  it.each(bombs)('is read or refused fast: %s', (_, type, data) => {
    const empty = emissionOf({ name: 'only', type }, type.endsWith(']') ? [] : type === 'bytes' ? '0x' : '');
    const inputs = wireInputs(empty.item, empty.values, { pick: plain });
    outcome(emitted(empty, inputs, JSON.stringify({ ...empty.log, data: `0x${data}` })), empty.abi);
  });
});
