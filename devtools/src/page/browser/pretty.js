/**
 * JSON text with line feeds and indents between its tokens, which stay as they are: nothing is parsed, so no number is
 * rounded and no key is lost. Text that is no JSON comes out too, with odd breaks.
 * @param {string} text
 */
export function pretty(text) {
  const tokens = text.match(/"(?:[^"\\]|\\[\s\S])*"?|[[\]{},:]|[^\s[\]{},:"]+/g) ?? [];
  let depth = 0;
  let out = '';
  const feed = () => `\n${'  '.repeat(Math.min(depth, 40))}`;
  tokens.forEach((token, index) => {
    const previous = tokens[index - 1];
    const empty = previous === '[' || previous === '{';
    if (token === ']' || token === '}') {
      depth = Math.max(0, depth - 1);
      out += empty ? token : feed() + token;
    } else {
      if (empty || previous === ',') out += feed();
      out += token === ':' ? ': ' : token;
      if (token === '[' || token === '{') depth++;
    }
  });
  return out;
}
