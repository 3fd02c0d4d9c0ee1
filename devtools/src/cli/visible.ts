import { UNSEEN } from '../deliveries/text-limits.js';

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\u001b': '\\e' };

const escaped = (character: string) =>
  NAMED[character] ?? `\\u{${(character.codePointAt(0) as number).toString(16).padStart(4, '0')}}`;

/**
 * Untrusted text as one line that is safe to print: control characters, ANSI escapes, bidirectional marks and other
 * invisible characters are escaped, as in `\e[31m` or `\u{202e}`.
 *
 * @param limit Number of characters shown; the rest is only counted. (Default: 2000.)
 */
export function visible(text: string, limit = 2000): string {
  if (text.length <= limit) return text.replace(UNSEEN, escaped);
  const cut = text.slice(0, limit).toWellFormed().replace(UNSEEN, escaped);
  return `${cut}… (${text.length - limit} more)`;
}

/** JSON that is safe to print on a terminal, and that parses to the same value. */
export function visibleJson(value: unknown): string {
  // JSON.stringify does not escape DEL, C1 controls and format characters. In JSON, these occur only inside strings.
  const unit = (character: string) =>
    Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
      .map((code) => `\\u${code.toString(16).padStart(4, '0')}`)
      .join('');
  return (JSON.stringify(value) ?? 'null').replace(UNSEEN, unit);
}
