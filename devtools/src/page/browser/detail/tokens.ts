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

// Browser highlights colour ranges of text without extra elements or layout.

/** The highlight of a kind; undefined in browsers without them. detail.css has its colour. */
function highlightOf(kind: TokenKind): Highlight | undefined {
  if (!globalThis.CSS?.highlights) return undefined;
  const name = `json-${kind}`;
  const highlight = CSS.highlights.get(name) ?? new Highlight();
  CSS.highlights.set(name, highlight);
  return highlight;
}

/**
 * Colours the tokens in a text node that contains their text from an offset on. Returns a function that removes the
 * colours.
 */
export function colour(node: Text, tokens: readonly Token[], from: number): () => void {
  const undo: (() => void)[] = [];
  for (const [kind, start, end] of tokens) {
    const [first, last] = [Math.max(start - from, 0), Math.min(end - from, node.length)];
    const highlight = first < last ? highlightOf(kind) : undefined;
    if (!highlight) continue;
    const range = new StaticRange({ startContainer: node, startOffset: first, endContainer: node, endOffset: last });
    highlight.add(range);
    undo.push(() => highlight.delete(range));
  }
  return () => {
    for (const each of undo) each();
  };
}
