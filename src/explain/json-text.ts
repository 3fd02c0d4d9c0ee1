/** JSON as it is written: strings and numbers keep their spelling, objects their order and what is there twice. */
export type Json = string | { readonly items: readonly Json[] } | { readonly members: readonly Member[] };
export type Member = readonly [key: string, value: Json];

const DEEPEST = 200;

const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** The position behind the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== 0x22) at += text.charCodeAt(at) === 0x5c ? 2 : 1;
  return at + 1;
}

/** Whether it is JSON, and of which kind. */
export function kindOf(text: string): 'array' | 'object' | 'string' | 'other' | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'string') return 'string';
    if (Array.isArray(value)) return 'array';
    return typeof value === 'object' && value !== null ? 'object' : 'other';
  } catch {
    return undefined;
  }
}

/** Reads text that JSON.parse has accepted. Throws where it is nested too deeply. */
export function readJson(text: string): Json {
  let at = 0;
  const skip = () => {
    while (isSpace(text.charCodeAt(at))) at++;
  };
  const atom = (): string => {
    const start = at;
    if (text[at] === '"') at = endOfString(text, at);
    else while (at < text.length && !',:]} \t\r\n'.includes(text.charAt(at))) at++;
    return text.slice(start, at);
  };
  function value(depth: number): Json {
    if (depth > DEEPEST) throw new RangeError('nested too deeply');
    skip();
    const open = text[at];
    if (open !== '[' && open !== '{') return atom();
    at++;
    const items: Json[] = [];
    const members: Member[] = [];
    for (skip(); at < text.length && text[at] !== ']' && text[at] !== '}'; skip()) {
      if (open === '[') items.push(value(depth + 1));
      else {
        const key = atom();
        skip();
        at++;
        members.push([key, value(depth + 1)]);
      }
      skip();
      if (text[at] === ',') at++;
    }
    at++;
    return open === '[' ? { items } : { members };
  }
  return value(0);
}

/** How JSON is laid out. */
export interface Layout {
  /** One level of indentation; empty for one line. */
  readonly indent: string;
  /** What stands behind a comma and behind a colon. */
  readonly comma: string;
  readonly colon: string;
}

export const compact: Layout = { indent: '', comma: ',', colon: ':' };
/** As Python's json.dumps lays it out. */
export const spaced: Layout = { indent: '', comma: ', ', colon: ': ' };
export const indented = (indent: string): Layout => ({ indent, comma: ',', colon: ': ' });

/** Writes it in a layout, with each string passed through `spell`. */
export function writeJson(json: Json, { indent, comma, colon }: Layout, spell: (string: string) => string): string {
  const atom = (text: string) => (text.startsWith('"') ? spell(text) : text);
  function write(value: Json, margin: string): string {
    if (typeof value === 'string') return atom(value);
    const inner = margin + indent;
    const [open, close] = 'items' in value ? '[]' : '{}';
    const parts =
      'items' in value
        ? value.items.map((each) => write(each, inner))
        : value.members.map(([key, each]) => `${atom(key)}${colon}${write(each, inner)}`);
    if (parts.length === 0 || indent === '') return `${open}${parts.join(comma)}${close}`;
    return `${open}\n${inner}${parts.join(`${comma}\n${inner}`)}\n${margin}${close}`;
  }
  return write(json, '');
}

/** What can be seen of the way in which JSON is written. */
export interface Looks {
  /** White space between its values: none, within lines, or lines of their own. */
  readonly space: 'none' | 'spaced' | 'indented';
  /** Escapes of characters that could stand as they are. */
  readonly escaped: boolean;
  /** What is open where it ends. */
  readonly depth: number;
  /** Whole numbers that a JavaScript number cannot tell from their neighbours, written as JavaScript writes them. */
  readonly rounded: boolean;
}

const ESCAPED = /\\(?:u(?!d[89a-f]|00[01])|\/)/i;

/** Goes over text once, whether or not it is JSON. */
export function looksOf(text: string): Looks {
  let depth = 0;
  let space: Looks['space'] = 'none';
  let rounded = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      const end = endOfString(text, at);
      if (end > text.length) depth++;
      at = end - 1;
    } else if (code === 0x5b || code === 0x7b) depth++;
    else if (code === 0x5d || code === 0x7d) depth--;
    else if (isSpace(code) && depth > 0) {
      if (code === 0x0a) space = 'indented';
      else if (space === 'none') space = 'spaced';
    } else if (code >= 0x31 && code <= 0x39) {
      const start = at;
      while (text.charCodeAt(at + 1) >= 0x30 && text.charCodeAt(at + 1) <= 0x39) at++;
      const digits = text.slice(start, at + 1);
      if (digits.length > 16 && digits.endsWith('0') && Number(digits) > 2 ** 53)
        rounded ||= String(Number(digits)) === digits;
    }
  }
  return { depth, space, rounded, escaped: ESCAPED.test(text) };
}

const unicode = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Go's escapes, over text in which no such character stands outside of a string. */
export const goEscapes = (text: string): string => text.replace(/[<>&\u2028\u2029]/g, unicode);

const plain = (string: string) => JSON.stringify(JSON.parse(string));
const ascii = (string: string) => plain(string).replace(/[\u007f-\uffff]/g, unicode);

/** The ways to spell a string, the service's first. */
export const spellings: Readonly<
  Record<'go' | 'same' | 'javascript' | 'olderGo' | 'python' | 'php', (string: string) => string>
> = {
  go: (string) => goEscapes(plain(string)),
  same: (string) => string,
  javascript: plain,
  olderGo: (string) =>
    goEscapes(plain(string)).replace(/(?<!\\)(?:\\\\)*\\[bf]/g, (found) =>
      found.replace(/b$/, 'u0008').replace(/f$/, 'u000c'),
    ),
  python: ascii,
  php: (string) => ascii(string).replace(/\//g, '\\/'),
};
