import fc from 'fast-check';
import { type AbiParameter, encodeAbiParameters, toHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { goText, valueText } from '../../src/chain/value-text.js';
import { AbiData } from '../../src/evm/abi-data.js';
import { decodeValues } from '../../src/evm/codec.js';
import { codecOf } from '../../src/evm/codec-of.js';
import { createRandom } from '../chaos/random.js';
import type { Param } from '../evm/arbitrary-types.js';
import { randomValue } from '../evm/differential/random-values.js';
import { oddEventsAbi } from '../real-chain/artifacts/odd-events.js';
import { goText as independent } from '../real-chain/decoded.js';

const fail = () => new Error('It does not decode.');

function decoded(parameter: AbiParameter, value: unknown): unknown {
  const data = new AbiData(encodeAbiParameters([parameter], [value]));
  return decodeValues([{ codec: codecOf(parameter, goText), label: '' }], data, fail)[0];
}
const textOf = (parameter: AbiParameter, value: unknown) => valueText(codecOf(parameter), decoded(parameter, value));

describe('the text of a value', () => {
  const point = [
    { name: 'x', type: 'int256' },
    { name: 'who', type: 'address' },
  ];
  it.each<[AbiParameter, unknown, string]>([
    [{ type: 'uint256' }, 2n ** 256n - 1n, (2n ** 256n - 1n).toString()],
    [{ type: 'int8' }, -1, '-1'],
    [{ type: 'bool' }, true, 'true'],
    [{ type: 'address' }, '0x5fbdb2315678afecb367f032d93f642f64180aa3', '0x5FbDB2315678afecb367f032d93F642f64180aa3'],
    [{ type: 'bytes3' }, '0x00ff10', '0x00ff10'],
    [{ type: 'bytes' }, '0x', '0x'],
    [{ type: 'string' }, '"<\u0000日本', '"<\u0000日本'],
    [{ type: 'uint8[]' }, [], '[]'],
    [{ type: 'uint256[2]' }, [1n, 2n ** 60n], '["1","1152921504606846976"]'],
    [{ type: 'string[][]' }, [['"a"'], []], '[["\\"a\\""],[]]'],
    [
      { type: 'tuple[]', components: point },
      [{ x: -5n, who: '0x5fbdb2315678afecb367f032d93f642f64180aa3' }],
      '[{"x":"-5","who":"0x5FbDB2315678afecb367f032d93F642f64180aa3"}]',
    ],
    [{ type: 'tuple', components: [{ type: 'bool' }, { name: 'x', type: 'bool' }] }, [true, false], '["true","false"]'],
    [
      { type: 'tuple', components: [{ name: '__proto__', type: 'uint8' }] },
      Object.fromEntries([['__proto__', 7]]),
      '{"__proto__":"7"}',
    ],
  ])('of $type is as the wire has it', (parameter, value, text) => {
    expect(textOf(parameter, value)).toBe(text);
  });

  it('is read back as the same value, whatever the type', () => {
    const random = createRandom(7);
    const parameters = oddEventsAbi.flatMap((item) => (item.type === 'function' ? [...item.inputs] : []));
    for (let round = 0; round < 5; round++) {
      for (const parameter of parameters as AbiParameter[]) {
        const value = randomValue(random, parameter as Param);
        const codec = codecOf(parameter);
        const again = codec.fromWire(textOf(parameter, value));
        expect(again, parameter.type).toEqual(decoded(parameter, value));
      }
    }
  });
});

it('text of bytes has one U+FFFD per byte that is not UTF-8, as Go writes it', () => {
  expect(goText(Uint8Array.from([0xff, 0x61, 0xe2, 0x82, 0xed, 0xa0, 0x80]))).toBe(
    '\uFFFDa\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD',
  );
  const byte = fc.oneof(
    fc.nat(255),
    fc.constantFrom(0xc0, 0xc2, 0xe0, 0xed, 0xf0, 0xf4, 0xf5, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf),
  );
  const parts = fc.oneof(
    fc.array(byte),
    fc.constantFrom('a', 'é', '日', '🎉').map((text) => [...new TextEncoder().encode(text)]),
  );
  fc.assert(
    fc.property(fc.array(parts), (all) => {
      const bytes = Uint8Array.from(all.flat());
      expect(goText(bytes)).toBe(independent(toHex(bytes)));
    }),
    { numRuns: 100 },
  );
}, 60_000);
