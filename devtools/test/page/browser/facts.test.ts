import { describe, expect, it } from 'vitest';
import { commonCause } from '../../../src/page/browser/list/insight.js';
import { barsOf } from '../../../src/page/browser/list/strip.js';
import { day, duration, statusLine } from '../../../src/page/browser/shared/format.js';
import { groupsOf } from '../../../src/page/browser/shared/value.js';
import type { Entry } from '../../../src/page/browser/store.js';

it('groups digits from the right, and only those of numbers', () => {
  expect(groupsOf('-1234567.0001')).toEqual(['-1', '234', '567.0001']);
  expect(groupsOf('123456')).toEqual(['123', '456']);
  expect(groupsOf('-0.5')).toEqual(['-0.5']);
  for (const other of ['1e3', '0x1', '', '1.', '1 2', '9'.repeat(300)]) expect(groupsOf(other)).toBeUndefined();
});

it('names a status', () => {
  expect([statusLine(403), statusLine(299)]).toEqual(['403 Forbidden', '299']);
});

it('gives durations no more digits than were measured, and no 60 s of a minute', () => {
  const texts = [0.44, 3, 9.96, 999.4, 999.6, 59_940, 59_960, 119_600].map(duration);
  expect(texts).toEqual(['0.4 ms', '3 ms', '10 ms', '999 ms', '1.0 s', '59.9 s', '1 min 0 s', '2 min 0 s']);
});

it('gives the date with a time that is not of today', () => {
  expect(day(Date.now())).toMatch(/^\d\d:\d\d:\d\d$/);
  expect(day(0)).toMatch(/^19\d\d-\d\d-\d\d \d\d:\d\d:\d\d$/);
});

const entry = (seq: number, summary: object) =>
  ({ seq, summary: { at: 0, verdict: 'refused', ...summary } }) as unknown as Entry;

describe('the bars of the strip', () => {
  const NOW = 1_700_000_000_000;
  const length = (ages: readonly number[]) => {
    const { bars, stepMs } = barsOf(
      ages.map((age, seq) => entry(seq, { at: NOW - age })),
      NOW,
    );
    expect(bars.reduce((sum, bar) => sum + bar.sum, 0)).toBe(ages.length);
    return [bars.length, stepMs];
  };

  it('reach from the oldest delivery to now, and at least five minutes', () => {
    expect(length([0, 1000])).toEqual([61, 5000]);
    const [count = 0, stepMs = 0] = length([0, 20 * 3_600_000]);
    expect([count < 120, stepMs]).toEqual([true, 900_000]);
    // A recording of long ago.
    expect(length([0, NOW])[0]).toBeLessThan(120);
  });
});

describe('the common cause of refusals', () => {
  const refused = (seq: number, id: string | undefined, more = {}) =>
    entry(seq, { cause: id && { id, text: id }, ...more });
  const many = (count: number, id: string | undefined) => Array.from({ length: count }, (_, seq) => refused(seq, id));

  it('is that of the last ones, as far as it goes', () => {
    expect(commonCause([...many(9, 'a'), ...many(7, 'b')])?.count).toBe(7);
    expect(commonCause(many(80, 'a'))?.count).toBe(50);
    expect(commonCause([...many(6, 'a'), entry(9, { verdict: 'accepted' })])?.count).toBe(6);
  });

  it('is none of a few, of those that are not explained, wanted or over', () => {
    expect(commonCause(many(4, 'a'))).toBeUndefined();
    expect(commonCause([...many(9, 'a'), refused(9, undefined)])).toBeUndefined();
    expect(commonCause([...many(9, 'a'), refused(9, 'a', { fault: 'old timestamp' })])).toBeUndefined();
    expect(
      commonCause([...many(9, 'a'), ...Array.from({ length: 30 }, (_, n) => entry(n, { verdict: 'accepted' }))]),
    ).toBeUndefined();
  });
});
