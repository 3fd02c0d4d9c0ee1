import { inspect } from 'node:util';
import type { Abi } from 'viem';
import { expect } from 'vitest';
import { DecodeError, decodeEvent } from '../../src/evm/index.js';
import { type EventEmitted, isWebhookError } from '../../src/index.js';

/** Far above what anything here takes, and far below a hang. Of the processor's time, as others may be at work too. */
const LONGEST_MS = 5000;

const CODES = ['RAW_FIELDS', 'ABI_MISMATCH', 'DECODE', 'INPUT_VALUE', 'CONTRADICTION'].map(
  (end) => `ERR_WEBHOOK_${end}`,
);
const LOG_KEYS =
  'address topics data blockNumber transactionHash transactionIndex blockHash blockTimestamp logIndex removed';

/** Texts in a JSON value, keys among them: what an error could quote. Of a long one the ends will do. */
function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'number') return [String(value)];
  if (typeof value === 'string') {
    let parsed: unknown;
    try {
      parsed = value.length < 100_000 ? JSON.parse(value) : undefined;
    } catch {
      // It is text, and no JSON.
    }
    if (typeof parsed === 'object') return textsIn(parsed, depth + 1);
    return value.length > 2000 ? [value.slice(0, 1000), value.slice(-1000)] : [value];
  }
  if (typeof value !== 'object' || value === null || depth > 8) return [];
  const children = Object.values(value).slice(0, 100);
  return [
    ...(Array.isArray(value) ? [] : Object.keys(value)),
    ...children.flatMap((child) => textsIn(child, depth + 1)),
  ];
}

const PIECE = 8;

/** All pieces of a text that are long enough to tell something, and its shorter words that hold a digit. */
function piecesOf(text: string): string[] {
  const pieces = (text.match(/[\w.-]{3,}/g) ?? []).filter((word) => word.length < PIECE && /\d/.test(word));
  for (let at = 0; at + PIECE <= text.length; at++) pieces.push(text.slice(at, at + PIECE));
  return pieces;
}

/** What stands in a text of the event's values and has no business there. */
function quoted(text: string, { data }: EventEmitted, allowed: string): string[] {
  const inText = new Set(piecesOf(text));
  const values = textsIn([data.event.inputs.map(({ value }) => value), data.event.rawFields ?? null]);
  const found = values.flatMap((value) => piecesOf(value).filter((piece) => inText.has(piece)));
  return [...new Set(found)].filter((piece) => !allowed.includes(piece));
}

/** Everything that a log of an error could show: its message, its stack, its causes and whatever hangs on them. */
function shown(error: unknown, depth = 0): string {
  if (!(error instanceof Error) || depth > 5)
    return inspect(error, { depth: 9, showHidden: true, maxStringLength: 10_000 });
  const parts = Object.getOwnPropertyNames(error).map((key) => {
    if (key === 'eventId') return '';
    const value = Reflect.get(error, key) as unknown;
    // Where the code stands is no value of an event, and would look like one.
    return key === 'stack' ? String(value).replace(/^\s+at .*$/gm, '') : shown(value, depth + 1);
  });
  return parts.join('\n');
}

/** Holds an error against what every refusal of an event owes: who, where, why, and nothing of the values. */
function expectRefusal(error: unknown, event: EventEmitted, abi: Abi): asserts error is DecodeError {
  if (!(error instanceof DecodeError)) throw new Error(`not a DecodeError: ${inspect(error)}`, { cause: error });
  expect(isWebhookError(error)).toBe(true);
  expect(CODES).toContain(error.code);
  expect(error.status).toBe(500);
  expect(error.eventId).toBe(event.id);
  expect(error.input).not.toBe('');
  expect(error.reason).not.toBe('');
  if (event.id.length <= 64) expect(error.message).toBe(`Event "${event.id}", ${error.input}: ${error.reason}`);
  expect(error.message).toContain(`Event "${event.id.slice(0, 32)}`);
  expect(error.message.length).toBeLessThan(1000);
  const allowed = [
    JSON.stringify(abi),
    LOG_KEYS,
    event.id,
    'true false null string',
    event.data.event.name,
    event.data.event.signature,
  ].join(' ');
  expect(quoted(shown(error), event, allowed), error.message).toEqual([]);
}

/** What becomes of an event: it is decoded, or refused as it must be, and either at once. */
export function outcome(
  event: EventEmitted,
  abi: Abi,
): { decoded?: { eventName: string; args: unknown }; refused?: DecodeError } {
  const start = process.cpuUsage();
  let thrown: unknown;
  let decoded: { eventName: string; args: unknown } | undefined;
  try {
    decoded = decodeEvent(event, abi) as { eventName: string; args: unknown };
  } catch (error) {
    thrown = error;
  }
  const { user, system } = process.cpuUsage(start);
  expect((user + system) / 1000).toBeLessThan(LONGEST_MS);
  if (decoded) return { decoded };
  expectRefusal(thrown, event, abi);
  return { refused: thrown };
}

/** The error with which an event is refused. */
export function refusalOf(event: EventEmitted, abi: Abi): DecodeError {
  const { decoded, refused } = outcome(event, abi);
  if (!refused)
    throw new Error(`decoded, and should have been refused: ${inspect(decoded, { depth: 9, maxStringLength: 200 })}`);
  return refused;
}
