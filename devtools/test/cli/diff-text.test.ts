import { createColors } from 'picocolors';
import { expect, it } from 'vitest';
import { diffText } from '../../src/cli/explain/diff-text.js';
import { diffBodies } from '../../src/explain/diff-bodies.js';

const colors = createColors(false);
const text = (signed: string, received: string) =>
  diffText(diffBodies(Buffer.from(signed), Buffer.from(received)), colors);

it.each([
  ['[1]', '[1]', 'Signed and received are the same 3 bytes.'],
  [
    '[1, 2]',
    '[1,2]',
    'Signed 6 bytes, received 5 bytes. The JSON is the same, written differently:\n  from byte 3, after "[1,"\n    signed    " "  20\n    received  (nothing)',
  ],
  [
    'a\u001b',
    `b${'x'.repeat(70)}`,
    `Signed 2 bytes, received 71 bytes. Their bytes differ:\n  from byte 0\n    signed    "a\\u001b"  611b\n    received  "b${'x'.repeat(63)}"… (71 bytes)  62${'78'.repeat(63)}`,
  ],
])('shows the difference between %s and %s', (signed, received, expected) => {
  expect(text(signed, received)).toBe(expected);
});
