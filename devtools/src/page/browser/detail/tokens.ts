export type TokenKind = 'key' | 'string' | 'number' | 'word';
/** A token to colour, with start and end. Punctuation and white space are not tokens. */
export type Token = readonly [kind: TokenKind, start: number, end: number];

const TOKEN = /("(?:[^"\\]|\\[\s\S])*"?)(\s*:)?|(-?\d[\d.eE+-]*)|([A-Za-z]+)/g;

/** The tokens of JSON text, or of text that looks like it, in linear time. Nothing is parsed. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const { 0: whole, 1: quoted, 2: colon, 3: number, index } of text.matchAll(TOKEN)) {
    if (quoted !== undefined) tokens.push([colon ? 'key' : 'string', index, index + quoted.length]);
    else tokens.push([number === undefined ? 'word' : 'number', index, index + whole.length]);
  }
  return tokens;
}
