// Everything in Unicode's "Other" (controls, formats such as bidirectional marks, surrogates alone, private use,
// unassigned), line and paragraph separators, and letters that print as nothing.
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\u2800]/gu;
const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\u001b': '\\e' };

const escaped = (character: string) =>
  NAMED[character] ?? `\\u{${(character.codePointAt(0) as number).toString(16).padStart(4, '0')}}`;

/**
 * Text from elsewhere, as one line that a terminal can do no harm with: control characters, ANSI escapes, bidirectional
 * marks and whatever else cannot be seen are spelled out, as in `\e[31m` or `\u{202e}`.
 *
 * @param limit How many characters are shown before the rest is counted. (Default: 2000.)
 */
export function visible(text: string, limit = 2000): string {
  if (text.length <= limit) return text.replace(UNSEEN, escaped);
  const cut = text.slice(0, limit).toWellFormed().replace(UNSEEN, escaped);
  return `${cut}… (${text.length - limit} more)`;
}

/** JSON in which nothing is left that a terminal would act on or hide. It parses to the same value. */
export function visibleJson(value: unknown): string {
  // JSON.stringify leaves DEL, C1 controls and format characters as they are; in JSON they only stand inside strings.
  const unit = (character: string) =>
    Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
      .map((code) => `\\u${code.toString(16).padStart(4, '0')}`)
      .join('');
  return (JSON.stringify(value) ?? 'null').replace(UNSEEN, unit);
}
