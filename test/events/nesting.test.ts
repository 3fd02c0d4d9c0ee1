import { describe, expect, it } from 'vitest';
import { MOST_LEVELS } from '../../src/events/exact-json.js';
import { webhookEventSchema } from '../../src/events/schemas.js';
import {
  InvalidEventError,
  parseDelivery,
  parseEvent,
  parseEventEmitted,
  parseTransactionIncluded,
} from '../../src/index.js';
import { changed, emitted, included, type Path } from '../fixtures/events.js';

const issues = [{ path: [], message: 'nested deeper than 256 levels' }];

function refusal(parse: () => unknown): unknown {
  try {
    parse();
  } catch (error) {
    if (error instanceof InvalidEventError) return error.issues;
    throw error;
  }
  return undefined;
}

const inArrays = (levels: number, inside: unknown): unknown => (levels === 0 ? inside : [inArrays(levels - 1, inside)]);
const inObjects = (levels: number, inside: unknown): unknown =>
  levels === 0 ? inside : { a: inObjects(levels - 1, inside) };
const wraps = [
  ['arrays', inArrays],
  ['objects', inObjects],
] as const;

describe.each(wraps)('what is kept of an item of %s', (_, wrap) => {
  const kept = (value: unknown) => {
    const [first, item, last] = parseDelivery(JSON.stringify([7, value, 7]));
    expect([first, last]).toMatchObject([{ raw: 7 }, { raw: 7 }]);
    return item?.status === 'invalid' && item.raw;
  };

  it.each([null, 'text', 7, true])('is 257 levels around %j', (leaf) => {
    expect(kept(wrap(MOST_LEVELS + 1, leaf))).toEqual(wrap(MOST_LEVELS + 1, leaf));
  });

  it.each([[], {}, [[1]], { a: { a: 1 } }])('has "…" in place of %j at 257 levels', (inside) => {
    expect(kept(wrap(MOST_LEVELS + 1, inside))).toEqual(wrap(MOST_LEVELS + 1, '…'));
  });
});

const EVENT: Path = ['data', 'event'];
const TX: Path = ['data', 'transaction'];
describe('an item nested too deep', () => {
  it.each([257, 300])(
    'is refused alone in a delivery, at %i levels, whatever its kind, wherever it nests',
    (levels) => {
      const unknown = () => ({ id: 'x', event: 'x', data: {} });
      const places: readonly (readonly [make: () => object, path: Path])[] = [
        ...[['more'], [...EVENT, 'inputs', 0, 'value'], [...TX, 'contract', 'more']].map(
          (path) => [emitted, path] as const,
        ),
        [emitted, [...TX, 'method', 'inputs', 0, 'value']],
        ...[['more'], ['data', 'more'], ['data', 'tx', 'accessList']].map((path) => [included, path] as const),
        ...[['more'], ['data']].map((path) => [unknown, path] as const),
        ...[['more'], ['id'], [...EVENT, 'indexInLog']].map((path) => [() => ({ ...emitted(), id: 7 }), path] as const),
      ];
      for (const [, wrap] of wraps) {
        for (const [make, path] of places) {
          const deep = changed(make(), path, wrap(levels - path.length, 'x'));
          const items = parseDelivery(JSON.stringify([included(), deep, emitted()]));
          expect(items.map(({ status }) => status)).toEqual(['event', 'invalid', 'event']);
          expect(items[1]).toMatchObject({ issues });
          expect(refusal(() => parseEvent(deep))).toEqual(issues);
          const taken = changed(make(), path, wrap(MOST_LEVELS - path.length, 'x'));
          expect(parseDelivery(JSON.stringify([taken]))[0]).not.toMatchObject({ issues });
          expect(refusal(() => parseEvent(taken))).not.toEqual(issues);
        }
      }
    },
  );

  it.each([
    ['[', ']'],
    ['{"a":', '}'],
  ])('spoils no neighbour with a hundred thousand levels of %s', (open, close) => {
    const deep = `${open.repeat(100_000)}1${close.repeat(100_000)}`;
    for (const path of [['more'], [...EVENT, 'inputs', 0, 'value']]) {
      const item = JSON.stringify(changed(emitted(), path, 'HERE')).replace('"HERE"', deep);
      expect(parseDelivery(`[${item},${JSON.stringify(emitted())}]`)).toMatchObject([{ issues }, { status: 'event' }]);
      expect(refusal(() => parseEvent(JSON.parse(item)))).toEqual(issues);
      expect(webhookEventSchema.safeParse(JSON.parse(item)).success).toBe(false);
    }
  });

  it('is not what brackets in strings look like', () => {
    const event = changed(emitted(), [...EVENT, 'inputs', 0, 'value'], '[{'.repeat(5000));
    expect(parseDelivery(JSON.stringify([event]))).toMatchObject([{ status: 'event' }]);
  });

  it('is one that contains itself', () => {
    const makes = [emitted, included, () => ({ id: 'x', event: 'x', data: {} })];
    for (const make of makes) {
      for (const path of [['more'], ['data', 'more'], [...EVENT, 'inputs', 0, 'value'], ['data']]) {
        if (make !== emitted && path.length > 2) continue;
        const event = make();
        changed(event, path, [event, { event }, event]);
        expect(refusal(() => parseEvent(event))).toEqual(issues);
        expect(refusal(() => parseEventEmitted(event))).toEqual(issues);
        expect(refusal(() => parseTransactionIncluded(event))).toEqual(issues);
        expect(webhookEventSchema.safeParse(event).success).toBe(false);
      }
    }
  });

  it('keeps what is above the cut, and the digits of its numbers', () => {
    const text = `{"id":"x","event":"x","n":12345678901234567890,"deep":${'['.repeat(5000)}${']'.repeat(5000)}}`;
    const [item] = parseDelivery(`[${text}]`);
    expect(item).toMatchObject({ status: 'invalid', issues, raw: { id: 'x', n: '12345678901234567890' } });
    const written = JSON.stringify(item?.status === 'invalid' && item.raw);
    expect(written.split('[').length - 1).toBe(MOST_LEVELS);
    expect(written).toContain(`["…"]`);
  });
});
