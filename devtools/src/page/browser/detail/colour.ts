import type { Token, TokenKind } from './tokens.js';

// Highlights of the browser colour ranges of text: no element is made, and nothing is laid out again.

/** The highlight of a kind; undefined in browsers without them. detail.css has its colour. */
function highlightOf(kind: TokenKind): Highlight | undefined {
  if (!globalThis.CSS?.highlights) return undefined;
  const name = `json-${kind}`;
  const highlight = CSS.highlights.get(name) ?? new Highlight();
  CSS.highlights.set(name, highlight);
  return highlight;
}

/** Colours the tokens that are in a text node, which is the part of their text from an offset on. Returns the undoing. */
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
