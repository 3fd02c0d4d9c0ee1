import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/events/types.js';
import { isRemoved, logIdentity, rawLog } from '../../src/evm/index.js';
import type { EventEmitted } from '../../src/index.js';
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
});

describe('a key of rawFields', () => {
  const needed = Object.keys(log).filter((key) => key !== 'transactionIndex');
  it.each(needed)('is refused where it is missing, or comes by way of __proto__ alone: %s', (key) => {
    const { [key]: _, ...rest } = { ...log } as Record<string, unknown>;
    expectNoLog(withRawFields(JSON.stringify(rest)));
    expectNoLog(withRawFields(`{"__proto__":${json},${JSON.stringify(rest).slice(1)}`));
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
});

describe('a refusal', () => {
  it.each([MEGABYTE, 1000])('clips an id of %d characters in its message, and has it whole', (length) => {
    const event = { ...withRawFields('{'), id: 'i'.repeat(length) };
    expect(refusalOf(event, abi).eventId).toHaveLength(length);
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
