import { describe, expect, it } from 'vitest';
import {
  deliverySchema,
  eventEmittedSchema,
  transactionIncludedSchema,
  webhookEventSchema,
} from '../../src/events/schemas.js';
import {
  InvalidEventError,
  isWebhookError,
  parseDelivery,
  parseEvent,
  parseEventEmitted,
  parseTransactionIncluded,
} from '../../src/index.js';
import { changed, emitted, frozen, included, type Path } from '../fixtures/events.js';

function refusal(parse: () => unknown): InvalidEventError {
  try {
    parse();
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidEventError);
    return error as InvalidEventError;
  }
  return expect.unreachable('the value was taken');
}

const EVENT: Path = ['data', 'event'];
const TX: Path = ['data', 'transaction'];
const strings: Path[] = [
  ['data', 'triggeredAt'],
  ...['name', 'signature'].map((key) => [...EVENT, key]),
  ...['name', 'type'].map((key) => [...EVENT, 'inputs', 1, key]),
  ...['address', 'name', 'label'].map((key) => [...EVENT, 'contract', key]),
];
const objects: Path[] = [['data'], EVENT, [...EVENT, 'inputs', 0], [...EVENT, 'contract']];
const position: Path = [...EVENT, 'indexInLog'];
const value: Path = [...EVENT, 'inputs', 0, 'value'];
/** Which values each kind of place refuses; undefined stands for a key that is absent. */
const refused: readonly [kind: string, message: string, paths: Path[], values: unknown[]][] = [
  ['text', 'expected a string', strings, [undefined, null, 7, true, {}, ['x']]],
  ['an id', 'expected a string that is not empty', [['id']], [undefined, null, 7, '', {}]],
  ['a position', 'expected a whole number from 0 up', [position], [undefined, null, '0', -1, 0.5, 2 ** 53, {}]],
  ['an object', 'expected an object', objects, [undefined, null, 'x', 7, []]],
  ['an array', 'expected an array', [[...EVENT, 'inputs']], [undefined, 'x', {}]],
  ['true or false', 'expected true or false', [[...EVENT, 'inputs', 0, 'hashed']], [undefined, null, 0, 'true']],
  ['an input value', 'expected an exact JSON value', [value], [undefined, 2 ** 53, [1e300], { a: Number.NaN }]],
  [
    'text, where it is there',
    'expected a string',
    [
      [...EVENT, 'rawFields'],
      [...EVENT, 'contract', 'addressLabel'],
    ],
    [7, {}],
  ],
];
const wrong = refused.flatMap(([kind, message, paths, bad]) =>
  paths.map((path) => ({ kind, message, path, at: path.join('.'), bad })),
);

/** What the parsers and the schema make of an event: one value, whichever reads it. */
function parsedAlike(make: () => object): unknown {
  const sent = make();
  const before = structuredClone(sent);
  const parsed = parseEvent(frozen(sent));
  expect(sent).toEqual(before);
  expect(parseEventEmitted(make())).toEqual(parsed);
  expect(eventEmittedSchema.parse(make())).toEqual(parsed);
  expect(parseDelivery(JSON.stringify([make()]))).toEqual([{ status: 'event', event: parsed }]);
  return parsed;
}

describe('an event.emitted', () => {
  it.each(wrong)('needs $kind at $at', ({ message, path, bad }) => {
    for (const value of bad) {
      const error = refusal(() => parseEvent(changed(emitted(), path, value)));
      expect(error.issues).toEqual([{ path, message }]);
      expect(error.message).toBe(`Not a valid event: ${path.join('.')}: ${message}`);
      const { error: zodError } = eventEmittedSchema.safeParse(changed(emitted(), path, value));
      expect(zodError?.issues).toMatchObject([{ code: 'custom', path, message }]);
    }
  });

  it.each([
    ['without rawFields', [...EVENT, 'rawFields'], undefined],
    ['without inputs', [...EVENT, 'inputs'], []],
    ['at position 0', [...EVENT, 'indexInLog'], 0],
    ['without a transaction', TX, undefined],
    ['with a transaction of null', TX, null],
    ['with a transaction without a contract', [...TX, 'contract'], undefined],
    ['with a transaction whose contract is null', [...TX, 'contract'], null],
    ['with a transaction without a method', [...TX, 'method'], undefined],
    ['with a transaction whose method is null', [...TX, 'method'], null],
    ['with a transaction without a sender', [...TX, 'from'], undefined],
    ['with a transaction whose sender is null', [...TX, 'from'], null],
    ['with a transaction whose data is null', [...TX, 'txData'], null],
    ['with a transaction whose position is null', [...TX, 'txIndexInBlock'], null],
    ['with an alias of null', [...EVENT, 'contract', 'addressAlias'], null],
    ['with empty texts', [...EVENT, 'contract', 'label'], ''],
  ] as const)('is one %s', (_, path, value) => {
    const event = changed(emitted(), path, value);
    expect(parsedAlike(() => changed(emitted(), path, value))).toEqual(event);
  });

  it.each([
    ['what the live service calls addressAlias', 'alias', 'alias'],
    ['nothing, where it has neither', undefined, ''],
  ])('gets as addressLabel %s', (_, alias, label) => {
    for (const holder of [EVENT, TX]) {
      const labelled = (addressLabel: string | undefined) =>
        changed(
          changed(emitted(), [...holder, 'contract', 'addressLabel'], addressLabel),
          [...holder, 'contract', 'addressAlias'],
          alias,
        );
      expect(parsedAlike(() => labelled(undefined))).toEqual(labelled(label));
    }
  });
});

describe('what Go writes for nil', () => {
  it.each<[string, Path, unknown]>([
    ['inputs: null is an empty list', [...EVENT, 'inputs'], []],
    ['method.inputs: null is an empty list', [...TX, 'method', 'inputs'], []],
    ['rawFields: null is no rawFields', [...EVENT, 'rawFields'], undefined],
    ['addressLabel: null is an empty text', [...EVENT, 'contract', 'addressLabel'], ''],
    ['addressLabel: null of the contract called is an empty text', [...TX, 'contract', 'addressLabel'], ''],
  ])('%s', (_, path, expected) => {
    const parsed = parsedAlike(() => changed(emitted(), path, null));
    expect(parsed).toEqual(changed(emitted(), path, expected));
    expect(JSON.stringify(parsed)).toBe(JSON.stringify(changed(emitted(), path, expected)));
  });
});

describe('a field that no event needs', () => {
  const junk = [7, -1, 0.5, true, {}, [], ['x'], { address: 7 }, { inputs: [{}] }];
  it.each<[string, Path, unknown[]]>([
    ['the alias of a contract', [...EVENT, 'contract', 'addressAlias'], junk],
    ['the transaction', TX, ['x', ...junk]],
    ['the sender', [...TX, 'from'], junk],
    ['the data of the transaction', [...TX, 'txData'], junk],
    ['the position of the transaction', [...TX, 'txIndexInBlock'], ['0', ...junk.slice(1)]],
    ['the contract called', [...TX, 'contract'], ['x', ...junk]],
    ['the method', [...TX, 'method'], ['x', ...junk]],
  ])('is undefined where it cannot be read: %s', (_, path, values) => {
    for (const each of values) {
      const parsed = parsedAlike(() => changed(emitted(), path, each));
      expect(parsed).toEqual(changed(emitted(), path, undefined));
    }
  });

  it.each<[string, Path, Path]>([
    ['a transaction without a hash', TX, [...TX, 'txHash']],
    ['a transaction without the hash of its block', TX, [...TX, 'blockHash']],
    ['a transaction without the number of its block', TX, [...TX, 'blockNumber']],
    ['a contract called without an address', [...TX, 'contract'], [...TX, 'contract', 'address']],
    ['a method without a name', [...TX, 'method'], [...TX, 'method', 'name']],
    ['a method whose input has no type', [...TX, 'method'], [...TX, 'method', 'inputs', 0, 'type']],
  ])('is undefined as a whole where a part that it needs cannot be read: %s', (_, whole, part) => {
    for (const each of [undefined, null, 7.5, {}]) {
      const parsed = parsedAlike(() => changed(emitted(), part, each));
      expect(parsed).toEqual(changed(emitted(), whole, undefined));
    }
  });
});

describe('a transaction.included', () => {
  it('may have any object as its data', () => {
    for (const data of [{}, included().data, { tx: 7, status: null, amount: 1e300 }]) {
      const event = { ...included(), data };
      for (const parse of [parseEvent, parseTransactionIncluded]) expect(parse(event)).toEqual(event);
      expect(transactionIncludedSchema.parse(event)).toEqual(event);
    }
  });

  it('needs an object as its data', () => {
    for (const data of [undefined, null, [], 'x', 7]) {
      const { issues } = refusal(() => parseEvent({ ...included(), data }));
      expect(issues).toEqual([{ path: ['data'], message: 'expected an object' }]);
      expect(transactionIncludedSchema.safeParse({ ...included(), data }).success).toBe(false);
    }
  });
});

describe('parseEvent', () => {
  it('stops at 10 issues of one event', () => {
    const inputs: object[] = new Array(1000).fill({});
    const { issues } = refusal(() => parseEventEmitted(changed(emitted(), [...EVENT, 'inputs'], inputs)));
    expect(issues).toHaveLength(10);
    expect(issues.at(-1)).toEqual({ path: [...EVENT, 'inputs', 2, 'value'], message: 'expected an exact JSON value' });
  });

  it.each([
    ['parseEvent', parseEvent, 'constructor', '"event.emitted" or "transaction.included"'],
    ['parseEventEmitted', parseEventEmitted, 'transaction.included', '"event.emitted"'],
    ['parseTransactionIncluded', parseTransactionIncluded, 'event.emitted', '"transaction.included"'],
  ])('names the kinds that %s takes', (_, parse, event, kinds) => {
    const { issues } = refusal(() => parse({ ...emitted(), event }));
    expect(issues).toEqual([{ path: ['event'], message: `expected ${kinds}` }]);
  });

  it.each([undefined, null, 7, 'x', [], true])('refuses %s', (value) => {
    for (const parse of [parseEvent, parseEventEmitted, parseTransactionIncluded]) {
      const error = refusal(() => parse(value));
      expect(error.issues).toEqual([{ path: [], message: 'expected an object' }]);
      expect(isWebhookError(error) && error.status).toBe(422);
    }
  });

  it('refuses an integer that a double cannot count to, because nobody knows what was sent', () => {
    const sent = JSON.stringify(emitted()).replace('"123.456"', '9007199254740993');
    const { issues } = refusal(() => parseEvent(JSON.parse(sent)));
    expect(issues).toEqual([{ path: [...EVENT, 'inputs', 1, 'value'], message: 'expected an exact JSON value' }]);
  });
});

describe('the schemas', () => {
  it('refuse an item nested too deep, with that issue alone', () => {
    const circular: Record<string, unknown> = { id: 7 };
    circular.more = circular;
    for (const schema of [eventEmittedSchema, transactionIncludedSchema, webhookEventSchema]) {
      expect(schema.safeParse(circular).error?.issues).toMatchObject([
        { path: [], message: 'nested deeper than 256 levels' },
      ]);
    }
  });

  it('fail for a whole delivery when one item is bad', () => {
    expect(deliverySchema.parse([emitted(), included()])).toEqual([emitted(), included()]);
    expect(deliverySchema.parse([])).toEqual([]);
    expect(deliverySchema.safeParse([emitted(), { ...included(), id: '' }]).success).toBe(false);
  });
});
