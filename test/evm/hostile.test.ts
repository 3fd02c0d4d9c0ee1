import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/events/types.js';
import { isRemoved, logIdentity, rawLog } from '../../src/evm/index.js';
import type { EventEmitted } from '../../src/index.js';
import { fc } from '../fixtures/property.js';
import { emitted } from './arbitrary.js';
import { expectedArgs } from './expected.js';
import { moved, movedInputs, withRawFields } from './hostile-event.js';
import { expectRefusal, outcome, refusalOf } from './refusal.js';

const { abi, log } = moved;
const json = JSON.stringify(log);
const MEGABYTE = 1_000_000;

/** Refused by everything that reads the log, with one code. */
function expectNoLog(event: EventEmitted): void {
  const error = refusalOf(event, abi);
  expect(error.code).toBe('ERR_WEBHOOK_RAW_FIELDS');
  expect(error.input).toMatch(/^rawFields/);
  for (const read of [rawLog, isRemoved, identityOf]) {
    try {
      read(event);
    } catch (thrown) {
      expectRefusal(thrown, event, abi);
      continue;
    }
    expect.unreachable(`${read} took it`);
  }
}

const identityOf = (event: EventEmitted) => logIdentity(event, { chainId: 1 });

/** Refused, or decoded to what the event holds. */
function expectSame(event: EventEmitted): void {
  const { decoded } = outcome(event, abi);
  if (decoded) expect(decoded.args).toEqual(expectedArgs(moved.item, moved.values));
}

describe('rawFields that are not a log', () => {
  const texts = [
    '',
    ' ',
    'null',
    'true',
    '1',
    '"0x"',
    '[]',
    '{}',
    '[{}]',
    '{',
    'NaN',
    `[${json}]`,
    JSON.stringify(json),
  ];
  const spoilt = [`${json}}`, `${json},`, `\uFEFF${json}`, `\0${json}`, json.slice(1), json.replaceAll('"', "'")];

  it('are refused', () => {
    for (const text of [...texts, ...spoilt]) expectNoLog(withRawFields(text));
  });

  it('are refused however large or deep they are', () => {
    const deep = ['['.repeat(100_000), `${'['.repeat(100_000)}${']'.repeat(100_000)}`, '{"a":'.repeat(100_000)];
    for (const text of [...deep, `"${'x'.repeat(10 * MEGABYTE)}"`, '9'.repeat(10 * MEGABYTE)]) {
      expectNoLog(withRawFields(text));
    }
  });

  it('are refused wherever they are cut off', () => {
    for (let end = 0; end < json.length; end += 7) expectNoLog(withRawFields(json.slice(0, end)));
  });

  it('are refused for any JSON that is not a log', () => {
    fc.assert(fc.property(fc.json(), (text) => expectNoLog(withRawFields(text))));
  });
});

const hashes = ['', '0x', 'x', log.blockHash.slice(2), `${log.blockHash}00`, `${log.blockHash.slice(0, -1)}g`];
const notNumber = [null, true, -1, 1.5, [], {}, ['0x10'], [log.blockHash]];
const notText = [1, ...notNumber];
const noQuantity = ['', '0x', '10', '0xg', '-0x1', '0x1 ', '0x1.8', '1e3', '0x１'];

describe.each(['blockTimestamp', 'transactionIndex'])('the key %s of rawFields', (key) => {
  it('may be anything: neither what is decoded nor the identity changes', () => {
    const expected = identityOf(withRawFields(json));
    const some = fc.oneof(fc.jsonValue(), fc.constantFrom(...notNumber, ...noQuantity, 0, 2, 2 ** 53));
    fc.assert(
      fc.property(some, (value) => {
        const event = withRawFields((each) => ({ ...each, [key]: value }));
        const { decoded } = outcome(event, abi);
        expect(decoded?.args).toEqual(expectedArgs(moved.item, moved.values));
        expect(isRemoved(event)).toBe(false);
        expect(identityOf(event)).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a key of rawFields', () => {
  const needed = Object.keys(log).filter((key) => key !== 'transactionIndex');
  it.each(needed)('is refused where it is missing, or comes by way of __proto__ alone: %s', (key) => {
    const { [key]: _, ...rest } = { ...log } as Record<string, unknown>;
    expectNoLog(withRawFields(JSON.stringify(rest)));
    expectNoLog(withRawFields(`{"__proto__":${json},${JSON.stringify(rest).slice(1)}`));
  });
});

describe('topics of rawFields', () => {
  it('are refused if one of them is not a topic', () => {
    for (const topic of [...notText, ...hashes, '0x00']) {
      for (const at of log.topics.keys()) {
        expectNoLog(withRawFields((each) => ({ ...each, topics: each.topics.with(at, topic as never) })));
      }
    }
  });

  it.each([0, 1, 2, 4, 5, 6, 100_000])('are refused where there are %d and the ABI asks for 3', (count) => {
    const topics = Array.from({ length: count }, (_, at) => log.topics[at] ?? log.blockHash);
    const error = refusalOf(
      withRawFields((each) => ({ ...each, topics })),
      abi,
    );
    expect(error.code).toBe(count > 4 ? 'ERR_WEBHOOK_RAW_FIELDS' : 'ERR_WEBHOOK_ABI_MISMATCH');
  });

  it('are refused if the first matches no event of the ABI', () => {
    const event = withRawFields((each) => ({ ...each, topics: each.topics.with(0, log.blockHash) }));
    expect(refusalOf(event, abi).code).toBe('ERR_WEBHOOK_ABI_MISMATCH');
  });
});

describe('keys of rawFields that no log has', () => {
  const more = [
    '"__proto__":{"removed":true,"polluted":1}',
    '"constructor":{"prototype":{"polluted":1}}',
    '"toString":1',
    '"toJSON":null',
  ];
  const large = [`"more":"${'x'.repeat(10 * MEGABYTE)}"`, `"more":${'['.repeat(100_000)}${']'.repeat(100_000)}`];
  it('change nothing', () => {
    for (const text of [...more, ...large]) {
      for (const rawFields of [`{${text},${json.slice(1)}`, `${json.slice(0, -1)},${text}}`]) {
        const event = withRawFields(rawFields);
        expectSame(event);
        if (text.length < 100) expect(rawLog(event)).toMatchObject({ removed: false, data: log.data });
      }
    }
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('change nothing about a key that is there twice: the last one counts, as everywhere', () => {
    expectSame(withRawFields(`{"removed":"twice",${json.slice(1)}`));
    expectNoLog(withRawFields(`${json.slice(0, -1)},"removed":"twice"}`));
  });
});

describe('a refusal', () => {
  it.each([MEGABYTE, 1000])('clips an id of %d characters in its message, and has it whole', (length) => {
    const event = { ...withRawFields('{'), id: 'i'.repeat(length) };
    expect(refusalOf(event, abi).eventId).toHaveLength(length);
  });

  it('is the same when the event is asked again', () => {
    const event = withRawFields('{');
    expect(refusalOf(event, abi).message).toBe(refusalOf(event, abi).message);
  });

  it('quotes nothing of an event that contradicts itself', () => {
    for (const [at, input] of movedInputs().entries()) {
      const forged: JsonValue[] = [
        'CANARY-CANARY',
        '4711471147114711',
        `0x${'c4'.repeat(32)}`,
        '{"CANARY-KEY":"CANARY-VALUE"}',
      ];
      for (const value of forged) refusalOf(emitted(moved, movedInputs().with(at, { ...input, value })), abi);
    }
  });
});
