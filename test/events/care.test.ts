import { expect, it, vi } from 'vitest';
import { restoreNumbers } from '../../src/events/exact-json.js';
import { parseDelivery } from '../../src/index.js';
import { changed, emitted, included, type Path } from '../fixtures/events.js';

vi.mock('../../src/events/exact-json.js', { spy: true });

/** How many times the text of a delivery is read: once more where an exact number or the depth needs care. */
function timesRead(body: string): number {
  vi.mocked(restoreNumbers).mockClear();
  parseDelivery(body);
  return 1 + vi.mocked(restoreNumbers).mock.calls.length;
}

const EVENT: Path = ['data', 'event'];
const METHOD: Path = ['data', 'transaction', 'method'];
const other = () => ({ id: 'x', event: 'x' });
const invalid = () => ({ ...emitted(), id: 7 });

it.each<[string, object]>([
  ['events with the keys of the schema', emitted()],
  ['keys that the schema does not know', changed(emitted(), ['data', 'more'], { a: 1 })],
  ['inputs that are safe integers', changed(emitted(), [...EVENT, 'inputs', 0, 'value'], [1])],
  ['transaction.included with safe integers', included()],
  ['a payload with as many keys as the data of event.emitted', { ...included(), data: { status: 'x', from: 'y' } }],
  ['an unknown kind', other()],
  ['an invalid item', invalid()],
  ['fractions in text', changed(included(), ['data', 'text'], '1.5')],
])('a delivery is read once: %s', (_, item) => {
  expect(timesRead(JSON.stringify([item]))).toBe(1);
});

it.each<[string, object]>([
  ['a fraction in an input', changed(emitted(), [...EVENT, 'inputs', 0, 'value'], 1.5)],
  ['a fraction in an input of the method', changed(emitted(), [...METHOD, 'inputs', 0, 'value'], 1.5)],
  ['a fraction under an unknown key', changed(emitted(), ['data', 'more'], { a: 1.5 })],
  ['a fraction in the payload', changed(included(), ['data', 'amount'], 1.5)],
  ['a fraction in an unknown kind', changed(other(), ['amount'], 1.5)],
  ['a fraction in an invalid item', changed(invalid(), ['amount'], 1.5)],
  ['a large number in an invalid position', changed(emitted(), [...EVENT, 'indexInLog'], 2 ** 60)],
])('a delivery is read again: %s', (_, item) => {
  expect(timesRead(JSON.stringify([emitted(), item, emitted()]))).toBe(2);
});

it('a delivery that drops a field keeps the digits of numbers under unknown keys', () => {
  const sent = changed<object>(changed(emitted(), ['data', 'transaction', 'from'], 7), ['more'], 'HERE');
  const [item] = parseDelivery(`[${JSON.stringify(sent).replace('"HERE"', '12345678901234567890')}]`);
  expect(item).toMatchObject({ status: 'event', event: { more: '12345678901234567890' } });
});

it.each([
  ['event.emitted', emitted],
  ['transaction.included', included],
  ['an unknown kind', other],
  ['an invalid item', invalid],
] as const)('1.0, which JSON.parse gives as a whole number, is looked for in %s', (_, make) => {
  const text = JSON.stringify(changed<object>(make(), ['more'], 'HERE')).replace('"HERE"', '1.0');
  expect(timesRead(`[${text}]`)).toBe(2);
});
