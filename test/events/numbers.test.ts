import { describe, expect, it } from 'vitest';
import { type EventEmitted, parseDelivery, parseEvent } from '../../src/index.js';
import { changed, emitted, included, type Path } from '../fixtures/events.js';

/** An item that comes out of a delivery in which `number` stands where a string stood. */
function sentWith(number: string, event: object, path: Path) {
  const text = JSON.stringify(changed(event, path, 'HERE'));
  const [item] = parseDelivery(`[${text.replace('"HERE"', number)}]`);
  const found = item?.status === 'event' ? item.event : item?.raw;
  return { item, value: path.reduce<unknown>((at, key) => Reflect.get(Object(at), key), found) };
}

const input: Path = ['data', 'event', 'inputs', 1, 'value'];
const places: readonly [name: string, event: () => object, path: Path, status: string][] = [
  ['an input', emitted, input, 'event'],
  ['an array in an input', () => changed(emitted(), input, [[1]]), [...input, 0, 0], 'event'],
  ['an object in an input', () => changed(emitted(), input, { a: {} }), [...input, 'a', 'b'], 'event'],
  ['an input of the method', emitted, ['data', 'transaction', 'method', 'inputs', 0, 'value'], 'event'],
  ['the data of a transaction.included', included, ['data', 'amount'], 'event'],
  ['the tx of a transaction.included', included, ['data', 'tx', 'value'], 'event'],
  ['an unknown key of an event.emitted', emitted, ['data', 'amount'], 'event'],
  ['an unknown key of an input', emitted, ['data', 'event', 'inputs', 0, 'amount'], 'event'],
  ['an invalid item', () => ({ ...emitted(), id: 7 }), ['data', 'amount'], 'invalid'],
  ['an invalid item with a number of the wrong size', emitted, ['data', 'event', 'indexInLog'], 'invalid'],
  ['an item of an unknown kind', () => ({ id: 'x', event: 'x' }), ['amount'], 'unknown'],
];

/** Rounded by JSON.parse, two of them to a small whole number. */
const ROUNDED = ['12345678901234567890', '-9007199254740993', '1e400', '1e-400', '0.30000000000000000001'].concat([
  '0.999999999999999999',
  '1.00000000000000000001',
]);

describe.each(places)('a number in %s', (_, event, path, status) => {
  it('that JSON.parse rounds to another number arrives as its text', () => {
    for (const number of ROUNDED) {
      const { item, value } = sentWith(number, event(), path);
      expect(item?.status, number).toBe(status);
      expect(value).toBe(number);
    }
  });

  if (path.at(-1) === 'indexInLog') return;

  it('that is exact stays a number or its text', () => {
    for (const number of ['1000000000000000000', '9007199254740992', '1e21']) {
      const { item, value } = sentWith(number, event(), path);
      expect(item?.status, number).toBe(status);
      expect([number, Number(number)]).toContain(value);
    }
    for (const number of ['0', '-7', '0.1', '1.5e3', '9007199254740991']) {
      const { item, value } = sentWith(number, event(), path);
      expect(item?.status, number).toBe(status);
      expect(value).toBe(Number(number));
    }
  });
});

describe('a delivery with a number that has to be kept', () => {
  it('has its other items as they are without it', () => {
    const others = JSON.stringify([emitted(), included(), null]).slice(1, -1);
    const items = parseDelivery(`[${others},{"id":"x","event":"x","n":12345678901234567890}]`);
    expect(items.slice(0, 3)).toEqual(parseDelivery(`[${others}]`));
  });

  it('keeps the digits of numbers under unknown keys where it drops a field', () => {
    const sent = changed<object>(changed(emitted(), ['data', 'transaction', 'from'], 7), ['more'], 'HERE');
    const [item] = parseDelivery(`[${JSON.stringify(sent).replace('"HERE"', '12345678901234567890')}]`);
    expect(item).toMatchObject({ status: 'event', event: { more: '12345678901234567890' } });
  });
});

describe('an input that is no text', () => {
  it.each([null, true, false, 0, -1, 1.5, [], {}, [['0x1', [null]], { a: true }]])(
    'is kept as it was sent: %j',
    (value) => {
      const sent = changed(emitted(), input, value);
      expect(parseDelivery(JSON.stringify([sent]))).toEqual([{ status: 'event', event: sent }]);
      expect((parseEvent(sent) as EventEmitted).data.event.inputs[1]?.value).toEqual(value);
    },
  );
});

describe('a delivery of more than a mebibyte', () => {
  const large = (text: string) => `[${text}${' '.repeat(2 ** 20)}]`;
  const big = '12345678901234567890';
  const items = (inside: string) => `{"id":"x","event":"x","data":${inside}}`;

  it.each([
    ['long numbers', `[${big},-1e400,{"${big}":1.5,"a":" ${big}"},7]`],
    ['a number and what is nested too deep', `[${big},${'['.repeat(300)}${big}${']'.repeat(300)}]`],
    ['exact fractions', '[1.5,-0.25]'],
    ['text that looks like a long number', `":${big}"`],
    ['a long number at its end', `["${'x'.repeat(2 ** 16)}",${big}]`],
  ])('with %s has the same items as a small one', (_, inside) => {
    expect(parseDelivery(large(items(inside)))).toEqual(parseDelivery(`[${items(inside)}]`));
  });

  it.each([
    `${big} ${big}`,
    `0${big}`,
    `${big}n`,
    `-${big}-`,
    `"a"${big}`,
    `1.,${big}`,
    `{${big} :1}`,
    `{"a":1 ${big}}`,
    `tru${big}e`,
    `${big},"`,
    `${big},"\\`,
    `${big}]`,
  ])('is refused where it is not JSON: %s', (text) => {
    expect(() => parseDelivery(large(text))).toThrow('The body is not valid JSON');
  });
});
