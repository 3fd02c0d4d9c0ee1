import { describe, expect, it } from 'vitest';
import { createTestDelivery } from '../../src/testing/index.js';
import { allPoints, goCharacter, goFloat } from '../fixtures/go-json.js';
import { fc } from '../fixtures/property.js';

const bodyOf = (...values: unknown[]) => createTestDelivery(values, { secret: 'whsec-test' }).rawBody;

describe('createTestDelivery writes JSON as Go does', () => {
  it('with every code point in text and in keys', () => {
    for (const points of allPoints()) {
      const [text, expected] = [String.fromCodePoint, goCharacter].map((write) =>
        points.map((each) => write(each)).join(''),
      );
      expect(bodyOf({ [`_${text}`]: text }) === `[{"_${expected}":"${expected}"}]`, `from ${points[0]}`).toBe(true);
    }
  });

  it.each([0, 1e-6, 9.99e-7, 1e-7, 1e-10, 5e-324, 1e21 - 2 ** 17, 1e21, -1e21, 1e100, 2 ** 53, 0.1])(
    'with the number %d',
    (number) => {
      expect(bodyOf(number)).toBe(`[${goFloat(number)}]`);
    },
  );

  it('with any number but -0, which JavaScript writes without its sign', () => {
    const double = fc.double({ noNaN: true, noDefaultInfinity: true });
    const scaled = fc.tuple(fc.integer(), fc.integer({ min: -30, max: 30 })).map(([a, power]) => a * 10 ** power);
    fc.assert(
      fc.property(fc.array(fc.oneof(double, scaled), { minLength: 10 }), (numbers) => {
        const signed = numbers.filter((number) => !Object.is(number, -0));
        expect(bodyOf(...signed)).toBe(`[${signed.map(goFloat).join()}]`);
      }),
      { numRuns: 1000 },
    );
    expect([bodyOf(-0), goFloat(-0)]).toEqual(['[0]', '-0']);
  });
});
