import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { visible } from '../../src/cli/visible.js';

const HARMFUL = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

test.each([
  ['an ANSI escape', '\u001b[2Jgone', '\\e[2Jgone'],
  ['an escape in one character', '\u009b31m', '\\u{009b}31m'],
  ['a hyperlink of a terminal', '\u001b]8;;http://x\u0007y', '\\e]8;;http://x\\u{0007}y'],
  ['a line break', 'a\r\nb\u2028c', 'a\\r\\nb\\u{2028}c'],
  ['a bidirectional override', 'a\u202eb', 'a\\u{202e}b'],
  ['a zero width space and a BOM', '\u200b\ufeff', '\\u{200b}\\u{feff}'],
  ['half a character', '\ud83d', '\\u{d83d}'],
  ['a tag that nobody sees', '\u{e0041}', '\\u{e0041}'],
  ['a letter that is empty', '\u3164', '\\u{3164}'],
  ['what can be seen', 'Überweisung 送金 🙂', 'Überweisung 送金 🙂'],
])('shows %s', (_, text, shown) => {
  expect(visible(text)).toBe(shown);
});

test('cuts what is long, and says how much', () => {
  expect(visible('x'.repeat(1_000_000), 10)).toBe('xxxxxxxxxx… (999990 more)');
  expect(visible('xxxxxxxxx🙂', 10)).toMatch(/^x{9}.… \(1 more\)$/u);
});

test('leaves nothing that a terminal acts on, whatever the text', () => {
  void fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: fc.nat(0xffff).map(String.fromCharCode) }), (a, b) => {
      for (const text of [a, b]) expect(visible(text)).not.toMatch(HARMFUL);
    }),
  );
});
