import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import {
  InvalidBodyError,
  InvalidEventError,
  parseDelivery,
  parseEvent,
  parseEventEmitted,
  parseTransactionIncluded,
  type RawBody,
} from '../../src/index.js';
import { changed, emitted, included, isLeaf, pathsOf } from '../fixtures/events.js';
import { hostileValues } from '../fixtures/hostile.js';

const utf8 = (text: string) => new TextEncoder().encode(text);

/** The items of a delivery of these values. */
const deliver = (...values: unknown[]) => parseDelivery(JSON.stringify(values));

function refusal(body: unknown): InvalidBodyError {
  try {
    parseDelivery(body as RawBody);
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidBodyError);
    return error as InvalidBodyError;
  }
  return expect.unreachable('the body was taken');
}

describe('parseDelivery', () => {
  it('gives both kinds as events, in their order and unchanged', () => {
    expect(deliver(emitted(), included())).toEqual([
      { status: 'event', event: emitted() },
      { status: 'event', event: included() },
    ]);
    expect(parseDelivery('[]')).toEqual([]);
  });

  it('takes text, bytes, a part of a buffer, and an ArrayBuffer, of another realm too', () => {
    const text = JSON.stringify([changed(emitted(), ['id'], 'é日🎉')]);
    const expected = parseDelivery(text);
    expect(expected).toHaveLength(1);
    expect(parseDelivery(utf8(text))).toEqual(expected);
    expect(parseDelivery(Buffer.from(` ${text}]`).subarray(1, -1))).toEqual(expected);
    expect(parseDelivery(utf8(text).buffer)).toEqual(expected);
    expect(parseDelivery(runInNewContext('new Uint8Array([91, 93]).buffer'))).toEqual([]);
  });

  it('never lets one bad item spoil its neighbours', () => {
    const bad = [null, 7, 'text', [], {}, { id: 1, event: 2 }, { ...emitted(), data: null }];
    const items = deliver(emitted(), ...bad, included());
    expect(items.map(({ status }) => status)).toEqual(['event', ...bad.map(() => 'invalid'), 'event']);
    for (const [index, item] of items.slice(1, -1).entries()) {
      if (item.status !== 'invalid') expect.unreachable('a bad item is no event');
      expect(item.raw).toEqual(bad[index]);
      expect(item.issues.length).toBeGreaterThan(0);
    }
  });

  it.each([
    [null, [': expected an object']],
    ['text', [': expected an object']],
    [[], [': expected an object']],
    [{}, ['id: expected a string', 'event: expected a string']],
    [{ id: 'x' }, ['event: expected a string']],
    [{ id: 'x', event: 7 }, ['event: expected a string']],
    [{ id: 7, event: 'x' }, ['id: expected a string']],
    [
      { id: '', event: 'event.emitted', data: {} },
      [
        'id: expected a string that is not empty',
        'data.triggeredAt: expected a string',
        'data.event: expected an object',
      ],
    ],
    [
      { event: 'transaction.included', data: [] },
      ['id: expected a string that is not empty', 'data: expected an object'],
    ],
  ])('says what is wrong with %j and where', (value, expected) => {
    const [item] = deliver(value);
    if (item?.status !== 'invalid') return expect.unreachable('it is invalid');
    expect(item.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)).toEqual(expected);
  });

  it.each([
    'event.removed',
    'constructor',
    '__proto__',
    'toString',
    'hasOwnProperty',
    '',
    'EVENT.EMITTED',
    'event.emitted ',
  ])('gives an item of the kind %j, which it does not know, as unknown', (kind) => {
    const sent = { id: 'x', event: kind, data: 7, more: [null] };
    expect(deliver(sent)).toEqual([{ status: 'unknown', id: 'x', kind, raw: sent }]);
  });

  it('keeps keys that the schema does not know, at every level', () => {
    const event = emitted();
    const { data } = event;
    const places = [event, data, data.event, data.event.inputs[0], data.event.contract, data.transaction];
    for (const place of [
      ...places,
      data.transaction.method,
      data.transaction.method.inputs[0],
      data.transaction.contract,
    ]) {
      Object.assign(place ?? {}, { more: { deep: [1, null] } });
    }
    const unknown = changed(included(), ['data', 'tx', 'more'], { deep: [1, null] });
    expect(deliver(event, unknown)).toEqual([
      { status: 'event', event },
      { status: 'event', event: unknown },
    ]);
  });

  it.each([
    ['', ''],
    [', beside a number that has to be kept', ',{"n":12345678901234567890}'],
  ])('keeps keys that name prototypes as data and pollutes nothing%s', (_, beside) => {
    const sent = JSON.stringify(changed(emitted(), ['data', 'event', 'rawFields'], undefined)).replaceAll(
      '{',
      '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},',
    );
    const [item] = parseDelivery(`[${sent}${beside}]`);
    if (item?.status !== 'event' || item.event.event !== 'event.emitted') return expect.unreachable('it is an event');
    expect(item.event).toEqual(JSON.parse(sent));
    const { event, transaction } = item.event.data;
    for (const object of [item.event, event, event.inputs[0], event.contract, transaction, transaction?.method]) {
      expect(Object.hasOwn(object ?? {}, '__proto__')).toBe(true);
      expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
    }
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('takes no address label from a prototype that was sent', () => {
    const text = JSON.stringify([changed(emitted(), ['data', 'event', 'contract', 'addressLabel'], undefined)]);
    const [item] = parseDelivery(
      text.replace('"address":', '"__proto__":{"addressLabel":"x","addressAlias":"y"},"address":'),
    );
    expect(item).toMatchObject({ status: 'event', event: { data: { event: { contract: { addressLabel: '' } } } } });
  });
});

describe('parseDelivery takes as many items as maxEvents', () => {
  const ones = (count: number) => `[${new Array(count).fill(1).join()}]`;
  const tooMany = (maxEvents: number, items: number) =>
    expect.objectContaining({
      name: 'WebhookError',
      code: 'ERR_WEBHOOK_BODY_TOO_LARGE',
      status: 413,
      message: `The body has ${items} items, more than maxEvents (${maxEvents}). Raise maxEvents if the sender is yours.`,
    });

  it('and no more', () => {
    expect(parseDelivery('[1,2]', { maxEvents: 2 })).toHaveLength(2);
    expect(() => parseDelivery('[1,2,3]', { maxEvents: 2 })).toThrow(tooMany(2, 3));
    expect(parseDelivery('[1]', {})).toHaveLength(1);
  });

  it('which is 10 000 if it is not given', () => {
    for (const options of [undefined, {}, { maxEvents: undefined }]) {
      expect(parseDelivery(ones(10_000), options)).toHaveLength(10_000);
      expect(() => parseDelivery(ones(10_001), options)).toThrow(tooMany(10_000, 10_001));
    }
  });

  it('and counts neither what an item contains nor commas in strings', () => {
    expect(parseDelivery('[[1,2,3],{"a":1,"b":[1,2]},"1,2,\\",3"]', { maxEvents: 3 })).toHaveLength(3);
  });

  it('whether the body is text or bytes, and says that a body is not a delivery whatever its size', () => {
    expect(() => parseDelivery(utf8(ones(3)), { maxEvents: 2 })).toThrow(tooMany(2, 3));
    expect(() => parseDelivery(ones(3).slice(0, -1), { maxEvents: 2 })).toThrow(InvalidBodyError);
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5', null])('which may not be %j', (maxEvents) => {
    expect(() => parseDelivery('[]', { maxEvents } as never)).toThrow(
      expect.objectContaining({ code: 'ERR_WEBHOOK_CONFIG', message: expect.stringContaining('`maxEvents` must be') }),
    );
  });
});

it('parseDelivery names an option that it lacks', () => {
  expect(() => parseDelivery('[]', { mostEvents: 1 } as never)).toThrow('`parseDelivery` has no option `mostEvents`.');
});

describe('parseDelivery throws InvalidBodyError', () => {
  it.each([
    [Uint8Array.of(0xff), 'The body is not valid UTF-8. Check the sender.'],
    ['[', 'The body is not valid JSON. Check the sender.'],
    ['{}', 'The body is not a JSON array. Check the sender.'],
  ])('that says what is wrong with %j', (body, message) => {
    expect(refusal(body).message).toBe(message);
  });

  it.each([
    ['no JSON', '[{"id":"leak-me"'],
    ['text after the array', '[]leak-me'],
    ['nothing', ''],
    ['an object', '{"leak-me":1}'],
    ['a string', '"leak-me"'],
    ['a byte order mark', '\ufeff["leak-me"]'],
    ['a byte order mark, in bytes', utf8('\ufeff["leak-me"]')],
    ['UTF-16', Buffer.from('["leak-me"]', 'utf16le')],
    ['a byte that is never UTF-8', Buffer.from('["leak-me\xff"]', 'latin1')],
    ['a sequence that is cut', Buffer.from('["leak-me\xe2\x82"]', 'latin1')],
    ['a surrogate in UTF-8', Buffer.from('["leak-me\xed\xa0\x80"]', 'latin1')],
    ['nothing, as bytes', new Uint8Array(0)],
  ])('for %s, and quotes nothing of it', (_, body) => {
    const error = refusal(body);
    expect(inspect(error, { showHidden: true, depth: null })).not.toMatch(/leak-me|Unexpected token/);
    expect('cause' in error).toBe(false);
    expect(error).toMatchObject({ code: 'ERR_WEBHOOK_INVALID_BODY', status: 400 });
  });

  it('for whatever is no body at all', () => {
    for (const [name, value] of hostileValues) {
      expect(() => parseDelivery(value as RawBody), name).toThrow(InvalidBodyError);
    }
  });
});

describe('parseEvent and parseEventEmitted', () => {
  it.each([
    ['parseEvent', parseEvent],
    ['parseEventEmitted', parseEventEmitted],
    ['parseTransactionIncluded', parseTransactionIncluded],
  ])('%s throws InvalidEventError for a value that cannot be read', (_name, parse) => {
    const { proxy: revoked, revoke } = Proxy.revocable({}, {});
    revoke();
    const thrown = new Error('quoted');
    const unreadable = {
      get event(): string {
        throw thrown;
      },
    };
    for (const each of [emitted(), included()]) {
      for (const value of [revoked, unreadable, changed(each, ['data'], revoked)]) {
        expect(() => parse(value)).toThrow(InvalidEventError);
        expect(() => parse(value)).toThrow('Not a valid event: event: expected a value that can be read');
      }
    }
  });

  it('add nothing to the open payload of transaction.included', () => {
    const sent = changed(included(), ['data', 'event'], { contract: {} });
    const before = structuredClone(sent);
    expect(parseEvent(sent)).toEqual(before);
    expect(sent.data).toHaveProperty('event', { contract: {} });
  });
});

describe('issues', () => {
  it('quote no value, whatever it is', () => {
    const LEAK = { 'leak-me': 'leak-me' };
    const sent = emitted();
    const leaves = pathsOf(sent).filter(
      (path) => path.join() !== 'event' && !path.includes('value') && isLeaf(sent, path),
    );
    expect(leaves.length).toBeGreaterThan(20);
    const items = deliver(...leaves.map((path) => changed(emitted(), path, LEAK)), { id: LEAK, event: LEAK });
    const invalid = items.filter((item) => item.status === 'invalid');
    // An optional field that cannot be read is left out.
    expect(invalid.length).toBeGreaterThan(15);
    for (const { issues } of invalid) {
      expect(issues.length).toBeGreaterThan(0);
      expect(inspect(new InvalidEventError(issues), { depth: null })).not.toContain('leak-me');
      expect(JSON.stringify(issues)).not.toContain('leak-me');
    }
  });
});
