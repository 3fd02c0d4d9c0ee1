import { describe, expect, it } from 'vitest';
import { parseExactJson } from '../../src/events/exact-json.js';
import { fc } from '../fixtures/property.js';
import { exactly } from '../fuzz/reference-json.js';

/** One quantity as a whole number, with a fraction, or with an exponent. */
function spellings(whole: bigint, zeros: number): string[] {
  const sign = whole < 0n ? '-' : '';
  const digits = String(whole).slice(sign.length);
  const shifted = [`${whole}${'0'.repeat(zeros)}e-${zeros}`, `${whole}.${'0'.repeat(zeros)}1`];
  const scientific = [`${sign}${digits[0]}.${digits.slice(1) || '0'}E+${digits.length - 1}`, `${sign}0.${digits}e00`];
  return [String(whole), `${whole}.0`, `${whole}e0`, ...shifted, ...scientific];
}

const edges = [2n ** 53n, -(2n ** 53n), 2n ** 63n, 2n ** 64n, 10n ** 18n, 10n ** 21n, -(10n ** 21n)];
const around = fc
  .tuple(fc.constantFrom(...edges), fc.bigInt(-3n, 3n), fc.nat(29))
  .chain(([edge, step, zeros]) => fc.constantFrom(...spellings(edge + step, zeros)));
const ofDoubles = fc
  .tuple(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer({ min: 1, max: 100 }))
  .chain(([value, places]) => fc.constantFrom(value.toPrecision(places), value.toExponential(places)));
const long = fc
  .tuple(fc.integer({ min: 380, max: 420 }), fc.constantFrom('0', '9', '5'))
  .map(([length, digit]) => digit.repeat(length))
  .chain((run) => fc.constantFrom(`1${run}`, `0.${run}`, `-0.${run}1`, `1${run}e-${run.length}`, `2${run}.${run}`));
const spelled = fc.stringMatching(/^-?(0|[1-9]\d{0,29})(\.\d{1,25})?([eE][+-]?(\d{1,3}|9007199254740993))?$/);
/** Texts of numbers, most of them where rounding begins. */
const numberText = fc.oneof(around, ofDoubles, long, spelled);

/** Strings that look like numbers, or like JSON around one. */
const stringText = fc
  .oneof(
    fc.string(),
    numberText.map((text) => `":[ ${text}`),
    numberText.map((text) => `\\",${text},"`),
    fc.constantFrom('__proto__', '1', '\u2028'),
  )
  .map((text) => JSON.stringify(text));
const { jsonText } = fc.letrec<{ jsonText: string }>((tie) => ({
  jsonText: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    { arbitrary: numberText, weight: 5 },
    stringText,
    fc.constantFrom('true', 'null', '[]', '{ }'),
    fc.array(tie('jsonText'), { maxLength: 5 }).map((items) => `[ ${items.join(' ,\n')}]`),
    fc
      .array(fc.tuple(stringText, tie('jsonText')), { maxLength: 5 })
      .map((members) => `{${members.map((parts) => parts.join('\t: ')).join()}}`),
  ),
}));

describe('parseExactJson and a reference of integer arithmetic', () => {
  it.each([
    ['numbers where rounding begins', numberText],
    ['values of every kind', jsonText],
  ])('agree on %s', { timeout: 60_000 }, (_, texts) => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(parseExactJson(`[${text}]`)).toStrictEqual(exactly(`[${text}]`));
      }),
      { numRuns: 5000 },
    );
  });
});
