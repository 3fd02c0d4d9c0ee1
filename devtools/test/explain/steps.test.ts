import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utf8 } from '../../src/explain/bytes.js';
import { kindOf } from '../../src/explain/json-scan.js';
import { frames, repeated, steps, units } from './counting/steps.js';

/** What JSON.parse says of a text. */
function parsed(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'string') return 'string';
    if (Array.isArray(value)) return 'array';
    return typeof value === 'object' && value !== null ? 'object' : 'other';
  } catch {
    return undefined;
  }
}

/** A place in a text, and what is put there. */
const change = fc.tuple(
  fc.nat(),
  fc.constantFrom(
    '',
    '"',
    '\\',
    '\\u12',
    '\\ud800',
    '\\x',
    ',',
    ':',
    '[',
    '}',
    '-',
    '.',
    'e',
    '0',
    '1',
    ' ',
    '\n',
    '\0',
    'é',
    'true',
    'nul',
  ),
);

describe('each step of explainFailure', () => {
  it.each([...steps])('takes any text: %s', (_, prepare) => {
    for (const unit of units) {
      for (const frame of frames)
        for (const times of [0, 1, 2, 7]) expect(prepare(repeated(frame, unit, times))).not.toThrow(RangeError);
    }
  });

  it('takes what JSON.parse takes, and nothing else', () => {
    fc.assert(
      fc.property(fc.json(), fc.array(change, { maxLength: 3 }), (json, changes) => {
        const text = changes.reduce(
          (before, [at, put]) =>
            before.slice(0, at % (before.length + 1)) + put + before.slice((at % (before.length + 1)) + 1),
          json,
        );
        const bytes = utf8(text);
        expect(kindOf(bytes)).toBe(parsed(new TextDecoder().decode(bytes)));
      }),
      { numRuns: 5000 },
    );
  });
});
