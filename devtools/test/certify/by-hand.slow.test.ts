import { describe, expect, test } from 'vitest';
import { found } from './faults.js';

/** Faults of handlers in JavaScript, each with the cases that must find it, and no others. */
const FAULTS: Readonly<Record<string, readonly string[]>> = {
  none: [],
  'serialized-again': ['go-escapes', 'changed-body'],
  'small-bodies': ['one-mebibyte'],
  latin1: ['non-ascii'],
  // Authentic deliveries have another digest, so nothing else can be tested.
  'unsigned-timestamp': ['one-event'],
  'trailing-text': ['trailing-text'],
  'short-signature': ['truncated', 'trailing-text'],
  'number-timestamp': ['timestamp-forms'],
  'first-header': ['repeated-headers'],
  'key-of-transaction': ['two-logs'],
  'key-of-delivery': ['other-delivery'],
  'look-first': ['ten-at-once'],
  'seen-first': ['failing-handler'],
  'answer-first': ['failing-handler', 'effect-before-answer (warning)'],
  'unknown-kinds': ['unknown-kind'],
};

describe.concurrent('a handler written by hand in JavaScript', () => {
  test.each(Object.entries(FAULTS))('with the fault "%s" fails exactly where it must', async (fault, cases) => {
    expect(await found('js', fault)).toEqual(cases);
  });

  test('without its secret takes every forgery', async () => {
    const cases = await found('js', 'no-secret', '');
    expect(cases).toEqual(
      expect.arrayContaining(['other-secret', 'changed-signature', 'missing-parts', 'repeated-headers']),
    );
  });
});
