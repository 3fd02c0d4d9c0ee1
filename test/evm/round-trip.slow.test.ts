import assert from 'node:assert/strict';
import type { Abi } from 'viem';
import { describe, expect, it } from 'vitest';
import type { EventInput } from '../../src/events/types.js';
import { decodeEvent, rawLog } from '../../src/evm/index.js';
import { type EventEmitted, parseDelivery, verifySignature } from '../../src/index.js';
import { createTestDelivery } from '../../src/testing/index.js';
import { fc } from '../fixtures/property.js';
import { secret } from '../helpers.js';
import { type Emission, emissionOf, emissions, emitted } from './arbitrary.js';
import { changed } from './arbitrary-change.js';
import { type Param, type Value, valuesOf } from './arbitrary-types.js';
import { convert, pickFrom, picks, plain, wireInputs, wireValue } from './arbitrary-wire.js';
import { isHashed } from './encode.js';
import { expectedArgs } from './expected.js';
import { refusalOf } from './refusal.js';

/** The event as a receiver has it, after its way over the wire. */
function received(event: EventEmitted): EventEmitted {
  const { rawBody: body, signature, timestamp } = createTestDelivery([event], { secret });
  expect(verifySignature(body, signature, timestamp, secret)).toBe(true);
  const [item] = parseDelivery(body);
  assert(item?.status === 'event' && item.event.event === 'event.emitted', body);
  return item.event;
}

/** The name and the arguments that an event decodes to, by own properties and exact types. */
function expectDecoded(event: EventEmitted, abi: Abi, { item, values }: Emission): void {
  const { eventName, args } = decodeEvent(received(event), abi) as { eventName: string; args: unknown };
  assert.equal(eventName, item.name);
  assert.deepStrictEqual(args, expectedArgs(item, values));
}

/** Leaves no doubt about two events of one signature but their numbers of topics. */
function withTwins({ abi, item }: Emission): Abi {
  const indexed = item.inputs.filter((input) => input.indexed).length;
  const turn = item.inputs.findIndex((input) => input.indexed !== true);
  const other = item.inputs.map((input, at) => ({ ...input, indexed: at === turn ? true : input.indexed }));
  const twins =
    turn === -1 || indexed > 2
      ? []
      : [
          { ...item, inputs: other },
          { ...item, inputs: other, anonymous: true },
        ];
  return [...twins.slice(0, 1), ...abi, ...twins.slice(1)] as Abi;
}

describe('an event on its way from a contract to decodeEvent', () => {
  it('has exactly the values that were emitted, in whatever form its inputs are', () => {
    fc.assert(
      fc.property(emissions, picks, (emission, choices) => {
        const inputs = wireInputs(emission.item, emission.values, { pick: pickFrom(choices) });
        expectDecoded(emitted(emission, inputs), emission.abi, emission);
      }),
      { numRuns: 400 },
    );
  });

  it('has the same values without rawFields', () => {
    fc.assert(
      fc.property(emissions, picks, (emission, choices) => {
        const inputs = wireInputs(emission.item, emission.values, { pick: pickFrom(choices) });
        const event = emitted(emission, inputs, 'none');
        expectDecoded(event, emission.abi, emission);
        expect(rawLog(event)).toBeUndefined();
      }),
      { numRuns: 400 },
    );
  });

  it('is distinguished from one of its signature with another number of topics', () => {
    fc.assert(
      fc.property(emissions, (emission) => {
        const inputs = wireInputs(emission.item, emission.values, { pick: plain });
        expectDecoded(emitted(emission, inputs), withTwins(emission), emission);
      }),
    );
  });

  it('may have its inputs in any order where their names leave no doubt', () => {
    const distinct = emissions.filter(({ item }) => {
      const names = item.inputs.map(({ name }) => name);
      return names.length > 1 && !names.includes('');
    });
    fc.assert(
      fc.property(distinct, fc.boolean(), (emission, hasLog) => {
        const inputs = wireInputs(emission.item, emission.values, { pick: plain }).reverse();
        expectDecoded(emitted(emission, inputs, hasLog ? undefined : 'none'), emission.abi, emission);
      }),
    );
  });
});

describe('an amount that the service converted', () => {
  it('is exactly the one in the log, whatever the conversion', () => {
    fc.assert(
      fc.property(emissions, picks, fc.integer({ min: 1, max: 80 }), (emission, choices, decimals) => {
        const inputs = wireInputs(emission.item, emission.values, { pick: pickFrom(choices), decimals });
        expectDecoded(emitted(emission, inputs), emission.abi, emission);
      }),
      { numRuns: 300 },
    );
  });

  const integers = fc
    .tuple(fc.constantFrom('uint', 'int'), fc.constantFrom(8, 48, 128, 256), fc.constantFrom('', '[]', '[1]', '()'))
    .map(([kind, bits, form]): Param => {
      const type = `${kind}${bits}`;
      return form === '()'
        ? { name: 'value', type: 'tuple', components: [{ name: 'amount', type }] }
        : { name: 'value', type: type + form };
    });

  it('is refused without a log, and the message says why', () => {
    const amounts = integers.chain((param) => fc.tuple(fc.constant(param), valuesOf(param)));
    fc.assert(
      fc.property(amounts, picks, fc.integer({ min: 1, max: 80 }), ([param, value], choices, decimals) => {
        const input = wireValue(param, value, { pick: pickFrom(choices), decimals });
        fc.pre(JSON.stringify(input).includes('.'));
        const emission = emissionOf(param, value);
        const inputs = [{ name: param.name, value: input, hashed: false, type: param.type }];
        const error = refusalOf(received(emitted(emission, inputs, 'none')), emission.abi);
        expect(error.code).toBe('ERR_WEBHOOK_INPUT_VALUE');
        expect(error.reason).toMatch(/conver/i);
      }),
    );
  });

  it('is refused when its digits are not those of the log', () => {
    const uint256 = { name: 'value', type: 'uint256' };
    fc.assert(
      fc.property(fc.bigInt({ min: 11n, max: 2n ** 255n }), fc.nat(78), (value, decimals) => {
        fc.pre(value % 10n !== 0n);
        const emission = emissionOf(uint256, value);
        const [input] = wireInputs(emission.item, [value + 1n], { pick: plain }) as [EventInput];
        // Rounding is no conversion: neither more digits nor fewer are the amount of the log.
        for (const text of [
          convert(value + 1n, decimals),
          convert(value * 10n + 1n, decimals + 1),
          String(value / 10n),
          `${value}0`,
        ]) {
          const error = refusalOf(received(emitted(emission, [{ ...input, value: text }])), emission.abi);
          expect(error.code).toBe('ERR_WEBHOOK_CONTRADICTION');
        }
      }),
    );
  });
});

describe('an event whose inputs are not those of its log', () => {
  const withInputs = emissions.filter(({ item }) => item.inputs.length > 0);
  const contradiction = (emission: Emission, inputs: EventInput[]) => {
    const error = refusalOf(received(emitted(emission, inputs)), emission.abi);
    expect(error).toMatchObject({ code: 'ERR_WEBHOOK_CONTRADICTION' });
  };

  it('is refused for one value that was changed, dropped or added', () => {
    const forged = withInputs.chain((emission) =>
      fc.nat(emission.item.inputs.length - 1).chain((at) => {
        const input = emission.item.inputs[at] as Param;
        const isHash = isHashed(input);
        const other: fc.Arbitrary<Value> = isHash
          ? valuesOf({ name: '', type: 'bytes32' })
          : changed(input, emission.values[at] as Value);
        return fc.record({ emission: fc.constant(emission), at: fc.constant(at), other, isHash: fc.constant(isHash) });
      }),
    );
    fc.assert(
      fc.property(forged, picks, ({ emission, at, other, isHash }, choices) => {
        const style = { pick: pickFrom(choices) };
        const param = isHash ? { name: '', type: 'bytes32' } : (emission.item.inputs[at] as Param);
        const inputs = wireInputs(emission.item, emission.values, { pick: plain });
        contradiction(
          emission,
          inputs.map((input, place) => (place === at ? { ...input, value: wireValue(param, other, style) } : input)),
        );
      }),
      { numRuns: 400 },
    );
  });

  it('is refused for an input more or less, or one of another type', () => {
    const extra = { name: 'extra', value: '1', hashed: false, type: 'uint256' };
    fc.assert(
      fc.property(withInputs, fc.nat(5), (emission, place) => {
        const inputs = wireInputs(emission.item, emission.values, { pick: plain });
        const at = place % inputs.length;
        const input = inputs[at] as EventInput;
        contradiction(emission, inputs.toSpliced(at, 1));
        contradiction(emission, inputs.toSpliced(at, 0, extra));
        contradiction(emission, inputs.with(at, { ...input, type: input.type === 'uint8' ? 'uint16' : 'uint8' }));
      }),
    );
  });
});
