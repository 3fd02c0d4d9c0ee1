import { usageError } from '../../command-error.js';

/** An argument as written. */
export interface WrittenArg {
  /** Name of the input; undefined when it is given by position. */
  readonly name: string | undefined;
  readonly text: string;
}

const NAMED = /^\s*([A-Za-z_$][\w$]*)=/;

/**
 * Splits `from=0x…,to=0x…,value=1.5` at the commas outside brackets and quotes.
 *
 * @throws CommandError `ERR_CLI_USAGE` when brackets or quotes do not match, or only some arguments have names.
 */
export function splitArgs(text: string): readonly WrittenArg[] {
  if (text.trim() === '') return [];
  const args = parts(text).map((part): WrittenArg => {
    const [prefix, name] = NAMED.exec(part) ?? [''];
    return { name, text: unquoted(part.slice(prefix.length).trim()) };
  });
  const names = args.map(({ name }) => name);
  if (names.some((name) => (name === undefined) !== (names[0] === undefined)))
    throw usageError('--args takes names for all arguments, or for none: from=0x…,value=5 or 0x…,5.');
  const twice = names.find((name, at) => name !== undefined && names.indexOf(name) !== at);
  if (twice !== undefined) throw usageError(`--args has ${twice} twice.`);
  return args;
}

function parts(text: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if (character === '"') at = endOfString(text, at);
    else if ('[{('.includes(character)) depth++;
    else if (']})'.includes(character)) depth--;
    else if (character === ',' && depth === 0) {
      found.push(text.slice(start, at));
      start = at + 1;
    }
    if (depth < 0) break;
  }
  if (depth !== 0) throw usageError('--args has a bracket without its counterpart.');
  return [...found, text.slice(start)];
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  throw usageError('--args has a quote without its counterpart.');
}

/** The text inside quotes, which is written as in JSON. */
function unquoted(text: string): string {
  if (!text.startsWith('"')) return text;
  try {
    return JSON.parse(text) as string;
  } catch {
    throw usageError('--args has a quoted text that is not JSON.');
  }
}
