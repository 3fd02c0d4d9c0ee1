import { describe, expect, it } from 'vitest';
import { deliverySchema, webhookEventSchema } from '../../src/events/schemas.js';
import { InvalidEventError, parseDelivery, parseEvent } from '../../src/index.js';
import { changed, emitted, included, type Path } from '../fixtures/events.js';

const issues = [{ path: [], message: 'nested deeper than 256 levels' }];

const EVENT: Path = ['data', 'event'];
function refusal(parse: () => unknown): unknown {
  try {
    parse();
  } catch (error) {
    if (error instanceof InvalidEventError) return error.issues;
    throw error;
  }
  return undefined;
}

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
