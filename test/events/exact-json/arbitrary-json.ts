import { fc } from '../../fixtures/property.js';

const digits = (maxLength: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${maxLength}}$`));
const withoutZeros = (text: string) => text.replace(/^0+(?=.)/, '');
const optional = (arbitrary: fc.Arbitrary<string>, before: string) =>
  fc.option(arbitrary, { nil: '' }).map((text) => text && before + text);
const exponent = fc.oneof(
  fc.tuple(fc.constantFrom('', '+', '-', '+00', '-0'), fc.nat(400)).map((parts) => parts.join('')),
  fc.constantFrom('9007199254740993', '-9007199254740993', `${'9'.repeat(25)}`, `-${'9'.repeat(25)}`),
);

/** Every spelling that the grammar allows. */
const spelled = fc
  .tuple(
    fc.constantFrom('', '-'),
    digits(30).map(withoutZeros),
    optional(digits(25), '.'),
    fc.constantFrom('e', 'E').chain((letter) => optional(exponent, letter)),
  )
  .map((parts) => parts.join(''));

/** Spellings of one quantity: with a fraction, and as more or fewer digits with an exponent. */
function respelled(whole: bigint, form: number): string {
  const text = String(whole);
  const zeros = form % 30;
  const ways = [
    text,
    `${text}.0`,
    `${text}e0`,
    `${text}${'0'.repeat(zeros)}e-${zeros}`,
    `${text}.${'0'.repeat(zeros)}1`,
  ];
  const sign = text.startsWith('-') ? '-' : '';
  const bare = text.slice(sign.length);
  ways.push(`${sign}${bare[0]}.${bare.slice(1) || '0'}E+${bare.length - 1}`, `${sign}0.${bare}e${bare.length}`);
  return ways[form % ways.length] ?? text;
}

const around = fc
  .tuple(
    fc.constantFrom(2n ** 53n, -(2n ** 53n), 2n ** 63n, 2n ** 64n, 10n ** 18n, 10n ** 21n, -(10n ** 21n)),
    fc.bigInt(-3n, 3n),
    fc.nat(),
  )
  .map(([edge, step, form]) => respelled(edge + step, form));

const double = fc.double({ noNaN: true, noDefaultInfinity: true });
const ofDoubles = fc.oneof(
  double.map((value) => JSON.stringify(value)),
  fc.tuple(double, fc.integer({ min: 1, max: 100 })).map(([value, precision]) => value.toPrecision(precision)),
  fc.tuple(double, fc.integer({ min: 0, max: 100 })).map(([value, places]) => value.toExponential(places)),
  // Denormals, and the least number that is not one.
  fc
    .tuple(fc.bigInt(1n, 2n ** 53n), fc.integer({ min: 1, max: 60 }))
    .map(([steps, precision]) => (Number(steps) * 5e-324).toPrecision(precision)),
);

const long = fc
  .tuple(fc.integer({ min: 380, max: 420 }), fc.constantFrom('', '-'), fc.nat(6), fc.constantFrom('0', '9', '5'))
  .map(([length, sign, form, digit]) => {
    const run = digit.repeat(length);
    const forms = [`1${run}`, `0.${run}`, `0.${run}1`, `1.${run}`, `1${run}e-${length}`, `0.5${run}`, `2${run}.${run}`];
    return sign + (forms[form] ?? '');
  });

/** Texts of numbers, most of them where rounding begins. */
export const numberText = fc.oneof(spelled, around, ofDoubles, long);

/** One character of a JSON string in one of its spellings. */
const character = fc
  .tuple(
    fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), fc.constantFrom(...'"\\/.-:[,e1')),
    fc.nat(2),
  )
  .map(([text, form]) => {
    if (form === 0) return JSON.stringify(text).slice(1, -1);
    if (form === 1 && text === '/') return '\\/';
    return text
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join('');
  });

/** Strings, many of which look like numbers, or like JSON around a number. */
const stringText = fc
  .oneof(
    fc.array(character, { maxLength: 6 }).map((parts) => parts.join('')),
    numberText,
    numberText.map((text) => `\\":[ ${text}`),
    numberText.map((text) => `\\\\\\",${text},\\u0022`),
    fc.constantFrom('__proto__', 'constructor', '0', '1'),
  )
  .map((text) => `"${text}"`);

const space = fc.stringMatching(/^[ \t\r\n]{0,2}$/);
const spaced = (text: fc.Arbitrary<string>) => fc.tuple(space, text, space).map((parts) => parts.join(''));

/** Texts of JSON values. */
export const { jsonText } = fc.letrec<{ jsonText: string }>((tie) => {
  const inner = { maxLength: 5 };
  const member = fc.tuple(spaced(stringText), tie('jsonText')).map((parts) => parts.join(':'));
  return {
    jsonText: spaced(
      fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        { arbitrary: numberText, weight: 5 },
        stringText,
        fc.constantFrom('true', 'false', 'null', '[]', '{ }'),
        fc.array(tie('jsonText'), inner).map((items) => `[${items.join()}]`),
        fc.array(member, inner).map((members) => `{${members.join()}}`),
      ),
    ),
  };
});

/** Texts with a few characters changed, most of which are no JSON. */
export const changedText = fc
  .tuple(
    jsonText,
    fc.array(fc.tuple(fc.nat(), fc.constantFrom(...'0123-+.eE,:[]{}"\\ \ttu', '', '00', '\u00a0')), { maxLength: 2 }),
  )
  .map(([text, changes]) =>
    changes.reduce((before, [at, put]) => {
      const place = at % (before.length + 1);
      return before.slice(0, place) + put + before.slice(place + 1);
    }, text),
  );
