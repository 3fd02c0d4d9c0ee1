import { isDeepStrictEqual } from 'node:util';
import { InvalidBodyError } from '../../../src/errors.js';
import { parseDelivery } from '../../../src/events/parse-delivery.js';
import { parseEvent } from '../../../src/events/parse-event.js';
import { sampleEventEmitted, sampleTransactionIncluded } from '../../../src/testing/samples.js';
import { exactly } from '../reference-json.js';
import { check, type Target, thrownBy } from '../target.js';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The array that a body is; undefined if it is none. */
function arrayOf(input: Buffer): { readonly text: string; readonly items: unknown[] } | undefined {
  try {
    const text = utf8.decode(input);
    const items: unknown = JSON.parse(text);
    return Array.isArray(items) ? { text, items } : undefined;
  } catch {
    return undefined;
  }
}

const seeds = [
  [sampleEventEmitted({ id: 'a' })],
  [sampleTransactionIncluded({ id: 'b' }), { id: 'c', event: 'another.kind', deep: [[1.5, -2e-7, 1e300]] }],
  [sampleEventEmitted({ data: { event: { rawFields: undefined }, transaction: undefined } }), 7, null, {}],
].map((items) => JSON.stringify(items));

/** A body, as it is. */
export const target: Target = {
  seeds: [
    ...seeds,
    `[${'['.repeat(260)}${']'.repeat(260)}]`,
    '[{"id":"a","event":"event.emitted","data":{"x":9007199254740993}}]',
  ],
  dictionary: [...'{} [] null true "id": "event": "data": "addressAlias": "__proto__": [[[[[[[['.split(' '), '\\ud800'],
  mostBytes: 4096,
  run(input) {
    const expected = arrayOf(input);
    let items: ReturnType<typeof parseDelivery> = [];
    const thrown = thrownBy(() => {
      items = parseDelivery(input);
    });
    if (thrown) {
      check(thrown.error instanceof InvalidBodyError, 'only InvalidBodyError is thrown');
      check(expected === undefined, 'a JSON array in UTF-8 is parsed');
      return;
    }
    if (expected === undefined) return check(false, 'anything but a JSON array in UTF-8 is refused');
    check(items.length === expected.items.length, 'every element has an outcome');
    const exact = exactly(expected.text) as unknown[];
    for (const [at, item] of items.entries()) {
      // Neither overflows the stack.
      JSON.stringify(item);
      if (item.status === 'event') {
        check(contains(item.event, exact[at]), 'an event has all that was sent');
        check(isDeepStrictEqual(parseEvent(item.event), item.event), 'an event is parsed again as the same');
      } else if (item.status === 'unknown') {
        check(isDeepStrictEqual(item.raw, exact[at]), 'an item of an unknown kind is as it was sent');
      } else {
        check(item.issues.length > 0, 'an invalid item says why');
        check(thrownBy(() => parseEvent(exact[at])) !== undefined, 'an item that parseEvent takes is an event');
      }
    }
  },
};

const OPTIONAL = new Set('transaction from txData txIndexInBlock contract method addressAlias rawFields'.split(' '));

/**
 * Whether a value has all that is in another. Keys that are open are not in the schema, an absent label is filled in, and what Go
 * writes for nil and optional fields that cannot be read are left out.
 */
function contains(whole: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return Object.is(whole, part);
  if (typeof whole !== 'object' || whole === null || Array.isArray(whole) !== Array.isArray(part)) return false;
  return Object.entries(part).every(
    ([key, value]) =>
      ((key === 'addressLabel' || key === 'inputs' || key === 'rawFields') && value === null) ||
      (OPTIONAL.has(key) && Reflect.get(whole, key) === undefined) ||
      (Object.hasOwn(whole, key) && contains((whole as Record<string, unknown>)[key], value)),
  );
}
