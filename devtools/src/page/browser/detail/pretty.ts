import { tokensOf } from './tokens.js';

/** Indents JSON text without parsing it, so that numbers and keys stay as written. Other text gets odd line breaks. */
export function pretty(text: string): string {
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

/** A part of a shown body: its text, or JSON from one of its strings. */
export interface Part {
  readonly text: string;
  /** Whether it is the content of the string before it. */
  readonly unfolded?: true;
}

/** Maximum number of unfolded strings. */
const MOST_UNFOLDED = 1000;

/** Indented text in parts: after each string that is JSON itself, such as `rawFields`, its content, indented. */
export function unfolded(text: string): Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (const [kind, start, end] of tokensOf(text)) {
    const content = kind === 'string' ? contentOf(text.slice(start, end)) : undefined;
    if (content === undefined) continue;
    // With the comma and the line feed after it.
    const after = text.indexOf('\n', end) + 1 || text.length;
    parts.push({ text: text.slice(from, after).replace(/\n$/, '') }, { text: content, unfolded: true });
    from = after;
    if (parts.length >= 2 * MOST_UNFOLDED) break;
  }
  if (from < text.length) parts.push({ text: text.slice(from) });
  return parts;
}

/** The indented content of a string that is a JSON object or list. */
function contentOf(token: string): string | undefined {
  if (!/^"\s*[[{]/.test(token)) return undefined;
  try {
    const content: string = JSON.parse(token);
    JSON.parse(content);
    return pretty(content);
  } catch {
    return undefined;
  }
}
