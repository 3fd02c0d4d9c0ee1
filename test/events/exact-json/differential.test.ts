import { describe, expect, it } from 'vitest';
import { parseExactJson } from '../../../src/events/exact-json.js';
import { type DeliveryItem, InvalidBodyError, parseDelivery } from '../../../src/index.js';
import { emitted, put } from '../../fixtures/events.js';
import { fc } from '../../fixtures/property.js';
import { changedText, jsonText, numberText } from './arbitrary-json.js';
import { differenceFrom, isExactly, parseReference } from './reference.js';

/** Cases of each property. A long run: EXACT_JSON_RUNS=1000000. */
const numRuns = Number(process.env.EXACT_JSON_RUNS ?? 2000);
const timeout = 20_000 + numRuns;

const contentOf = (item: DeliveryItem | undefined): unknown => (item?.status === 'event' ? item.event : item?.raw);

/** A value of JavaScript, or undefined for text that is not JSON. */
function parsed(text: string, parse: (text: string) => unknown): { value: unknown } | undefined {
  try {
    return { value: parse(text) };
  } catch {
    return undefined;
  }
}

/** The items of a body, or undefined if it is rejected. */
function itemsOf(body: string): DeliveryItem[] | undefined {
  try {
    return parseDelivery(body);
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidBodyError);
    return undefined;
  }
}

/** The text of an event with JSON text in place of a value. */
function eventText(event: object, path: readonly (string | number)[], json: string): string {
  put(event, path, '\0');
  return JSON.stringify(event).replace('"\\u0000"', () => json);
}

describe('exact JSON and another parser', { timeout }, () => {
  it('agree on every value', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        expect(differenceFrom(parseReference(text), parseExactJson(text))).toBeUndefined();
      }),
      { numRuns },
    );
  });

  it('agree on every spelling of a number: a number where JavaScript has it, otherwise its digits', () => {
    fc.assert(
      fc.property(numberText, (text) => {
        const value = Number(text);
        const isSafe = Number.isSafeInteger(value) || !Number.isInteger(value);
        const isNumber = isSafe && text.length <= 400 && isExactly(value, text);
        expect(parseExactJson(`[${text}]`)).toEqual([isNumber ? value : text]);
      }),
      { numRuns },
    );
  });

  it('agree on the inputs of an event.emitted, beside other events', () => {
    const paths = [
      ['data', 'event', 'inputs', 1, 'value'],
      ['data', 'transaction', 'method', 'inputs', 0, 'value'],
    ];
    fc.assert(
      fc.property(jsonText, fc.constantFrom(...paths), fc.boolean(), (json, path, isFirst) => {
        const texts = [eventText(emitted(), path, json), JSON.stringify(emitted())];
        const body = `[${(isFirst ? texts : texts.toReversed()).join()}]`;
        const items = parseDelivery(body);
        expect(items.map(({ status }) => status)).toEqual(['event', 'event']);
        expect(differenceFrom(parseReference(body), items.map(contentOf))).toBeUndefined();
      }),
      { numRuns },
    );
  });

  it('take the same texts as JSON.parse', () => {
    fc.assert(
      fc.property(changedText, (text) => {
        const expected = parsed(text, JSON.parse);
        const reference = parsed(text, parseReference);
        expect(reference !== undefined).toBe(expected !== undefined);
        if (reference) expect(differenceFrom(reference.value, parseExactJson(text))).toBeUndefined();
        const items = itemsOf(text);
        expect(items !== undefined).toBe(Array.isArray(expected?.value));
        if (items) expect(differenceFrom(reference?.value, items.map(contentOf))).toBeUndefined();
      }),
      { numRuns },
    );
  });
});
