import { describe, expect, it } from 'vitest';
import {
  deliverySchema,
  eventEmittedSchema,
  transactionIncludedSchema,
  webhookEventSchema,
} from '../../src/events/schemas.js';
import {
  InvalidEventError,
  parseDelivery,
  parseEvent,
  parseEventEmitted,
  parseTransactionIncluded,
} from '../../src/index.js';
import { changed, emitted, included, type Path } from '../fixtures/events.js';

const MOST = 256;
const issues = [{ path: [], message: 'nested deeper than 256 levels' }];

type Fill = (levels: number) => string;
const fills: readonly (readonly [name: string, fill: Fill])[] = [
  ['arrays between other values', (levels) => `${'[1,{"b":[]},'.repeat(levels)}"x"${',null]'.repeat(levels)}`],
  ['objects between other keys', (levels) => `${'{"a":1,"b":'.repeat(levels)}1.5${',"c":[{}]}'.repeat(levels)}`],
  ['keys that are numbers, or __proto__', (levels) => `${'{"7":1,"__proto__":'.repeat(levels)}1${'}'.repeat(levels)}`],
];

const EVENT: Path = ['data', 'event'];
const TX: Path = ['data', 'transaction'];
const more = (paths: readonly Path[]): Path[] => paths.map((path) => [...path, 'more']);
/** Where an item may hold anything, or what is refused anyway; the path's length is the level that it is found on. */
const places: readonly (readonly [kind: string, make: () => object, paths: readonly Path[], whole: string])[] = [
  [
    'event.emitted',
    emitted,
    [
      ...more([[], ['data'], EVENT, [...EVENT, 'contract'], [...EVENT, 'inputs', 1]]),
      ...more([TX, [...TX, 'contract'], [...TX, 'method'], [...TX, 'method', 'inputs', 0]]),
      [...EVENT, 'inputs', 0, 'value'],
      [...TX, 'method', 'inputs', 0, 'value'],
    ],
    'event',
  ],
  [
    'transaction.included',
    included,
    [['more'], ['data', 'more'], ['data', 'tx', 'accessList'], ['data', 'status']],
    'event',
  ],
  ['an unknown kind', () => ({ id: 'x', event: 'x', data: {} }), [['data'], ['more']], 'unknown'],
  ['an invalid item', () => ({ ...emitted(), id: 7 }), [['id'], ['more'], [...EVENT, 'indexInLog']], 'invalid'],
];
const cases = places.flatMap(([kind, make, paths, whole]) =>
  paths.map((path) => ({ kind, at: path.join('.'), make, path, whole })),
);

/** The text of an item that nests `levels` levels deep at `path`. */
function deepItem(make: () => object, path: Path, levels: number, fill: Fill): string {
  return JSON.stringify(changed(make(), path, 'HERE')).replace('"HERE"', () => fill(levels - path.length));
}

function refusal(parse: () => unknown): unknown {
  try {
    parse();
  } catch (error) {
    if (error instanceof InvalidEventError) return error.issues;
    throw error;
  }
  return undefined;
}

describe.each(fills)('an item with %s nested', (name, fill) => {
  // The fill that has a level of its own at its deepest place.
  const own = name.includes('between other values') ? 2 : name.includes('between other keys') ? 2 : 0;

  it.each(cases)(
    '$kind at $at: 256 levels are taken as few are, 257 are refused everywhere',
    ({ make, path, whole }) => {
      const neighbour = JSON.stringify(included());
      const read = (levels: number) => deepItem(make, path, levels, (left) => fill(left - own));
      const [before, item, after] = parseDelivery(`[${neighbour},${read(MOST)},${neighbour}]`);
      expect(item?.status).toBe(whole);
      const [, few] = parseDelivery(`[${neighbour},${read(16)},${neighbour}]`);
      expect(few?.status).toBe(whole);
      for (const levels of [MOST + 1, MOST + 2, 5000]) {
        const items = parseDelivery(`[${neighbour},${read(levels)},${neighbour}]`);
        expect(items[0]).toEqual(before);
        expect(items[2]).toEqual(after);
        expect(items[1]).toMatchObject({ status: 'invalid', issues });
        // What is kept of it can be written, logged and copied.
        const raw = items[1]?.status === 'invalid' && items[1].raw;
        expect(refusal(() => parseEvent(raw))).toEqual(issues);
        expect(structuredClone(raw)).toEqual(JSON.parse(JSON.stringify(raw)));
        const value: unknown = JSON.parse(read(levels));
        expect(refusal(() => parseEvent(value))).toEqual(issues);
        expect(refusal(() => parseEventEmitted(value))).toEqual(issues);
        expect(refusal(() => parseTransactionIncluded(value))).toEqual(issues);
        for (const schema of [eventEmittedSchema, transactionIncludedSchema, webhookEventSchema]) {
          expect(schema.safeParse(value).error?.issues).toMatchObject(issues);
        }
        expect(deliverySchema.safeParse([included(), value]).error?.issues).toMatchObject([{ path: [1] }]);
      }
      if (whole !== 'event') return;
      expect(refusal(() => parseEvent(JSON.parse(read(MOST))))).toBeUndefined();
      expect(webhookEventSchema.safeParse(JSON.parse(read(MOST))).success).toBe(true);
    },
  );
});

describe('nesting', () => {
  it.each([
    ['[', ']'],
    ['{"a":', '}'],
  ])('of a million levels of %s spoils no neighbour', { timeout: 60_000 }, (open, close) => {
    const deep = `${open.repeat(1_000_000)}1${close.repeat(1_000_000)}`;
    const text = (make: () => object, path: Path) =>
      JSON.stringify(changed(make(), path, 'HERE')).replace('"HERE"', deep);
    for (const item of [
      deep,
      text(emitted, ['more']),
      text(included, ['data', 'tx']),
      text(emitted, [...EVENT, 'inputs', 0, 'value']),
    ]) {
      const items = parseDelivery(`[${item},${JSON.stringify(emitted())}]`);
      expect(items.map(({ status }) => status)).toEqual(['invalid', 'event']);
      expect(items[0]).toMatchObject({ issues });
      const value: unknown = JSON.parse(item);
      expect(refusal(() => parseEvent(value))).toEqual(issues);
      expect(webhookEventSchema.safeParse(value).success).toBe(false);
      expect(deliverySchema.safeParse([value]).success).toBe(false);
    }
  });

  it('is measured for each item, not for the delivery, however wide it is', () => {
    const wide = JSON.stringify(changed(included(), ['data', 'list'], new Array(20_000).fill([[{}]])));
    expect(parseDelivery(`[${wide},${wide}]`).map(({ status }) => status)).toEqual(['event', 'event']);
  });
});
