/** A syntax error in JSON. Lines and columns count from 1. */
export interface JsonProblem {
  readonly line: number;
  readonly column: number;
  readonly what: string;
}

const SPACE = /[ \t\n\r]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has none in strings.
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;

/**
 * Checks JSON text in linear time and without recursion. Not JSON.parse, because its messages differ between browsers.
 */
export function jsonProblem(text: string): JsonProblem | undefined {
  let at = 0;
  const open: ('{' | '[')[] = [];
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  };
  const taken = (character: string) => text[at] === character && ++at > 0;

  /** Reads a string, or returns the error. */
  function string(): string | undefined {
    take(STRING);
    if (taken('"')) return undefined;
    if (at >= text.length) return 'The string has no end.';
    return text[at] === '\\' ? 'Unknown escape.' : 'Control characters in strings must be escaped.';
  }

  /** A key and its colon. */
  function key(): string | undefined {
    if (text[at] !== '"') return 'Expected a key in double quotes.';
    const problem = string();
    if (problem) return problem;
    take(SPACE);
    return taken(':') ? undefined : 'Expected a colon after the key.';
  }

  /** A value, or the opening of one; `true` after an opening. */
  function value(): string | boolean {
    if (taken('{')) return open.push('{') > 0;
    if (taken('[')) return open.push('[') > 0;
    if (text[at] === '"') return string() ?? false;
    return take(NUMBER) || take(WORD) ? false : 'Expected a value.';
  }

  /** Reads the text after a value: a comma, or the end of lists and objects. */
  function next(isFirst: boolean): string | undefined {
    for (let first = isFirst; ; first = false) {
      take(SPACE);
      const inside = open.at(-1);
      if (inside === undefined) return undefined;
      if (taken(inside === '{' ? '}' : ']')) {
        open.pop();
        continue;
      }
      if (!first && !taken(',')) return `Expected a comma or ${inside === '{' ? '}' : ']'}.`;
      take(SPACE);
      return inside === '{' ? key() : undefined;
    }
  }

  function problem(): string | undefined {
    do {
      take(SPACE);
      const result = value();
      if (typeof result === 'string') return result;
      const after = next(result);
      if (after) return after;
    } while (open.length > 0);
    return at < text.length ? 'Expected the end of the text.' : undefined;
  }

  const what = problem();
  if (what === undefined) return undefined;
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1, what };
}
