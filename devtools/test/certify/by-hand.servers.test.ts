import { describe, expect, test } from 'vitest';
import { found } from './faults.js';
import { HANDLERS } from './handlers/start.js';

/** Faults of handlers in Python, each with the cases that must find it, and no others. */
const FAULTS: Readonly<Record<string, readonly string[]>> = {
  none: [],
  ascii: ['non-ascii'],
  'float-timestamp': ['timestamp-forms'],
  'first-header': ['repeated-headers'],
  'no-window': ['stale (warning)', 'future (warning)'],
  'no-keys': ['twice', 'ten-at-once', 'replayed', 'other-delivery'],
  'one-thread': ['half-sent'],
  tells: ['other-secret', 'changed-body', 'changed-signature', 'changed-timestamp', 'truncated'],
};

describe.concurrent('a handler written by hand in Python', () => {
  test.each(Object.entries(FAULTS))('with the fault "%s" fails exactly where it must', async (fault, cases) => {
    expect(await found(HANDLERS.python, fault)).toEqual(cases);
  });
});
