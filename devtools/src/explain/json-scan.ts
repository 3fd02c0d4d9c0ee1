// JSON is read as bytes and never parsed: a tree of hostile text takes fifty times its size, and V8's table of strings
// can be made slow with keys that are numbers.

export const LINE_FEED = 0x0a;
export const CARRIAGE_RETURN = 0x0d;
export const QUOTE = 0x22;
export const SLASH = 0x2f;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const LIST = 0x5b;
export const BACKSLASH = 0x5c;
export const OBJECT = 0x7b;
export const LOWER_U = 0x75;
const MINUS = 0x2d;

/** From a bracket that opens to the one that closes. */
export const CLOSING = 2;

export const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === 0x09;
export const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;
export const isOpening = (byte: number | undefined): boolean => byte === LIST || byte === OBJECT;
export const isClosing = (byte: number | undefined): boolean => byte === LIST + CLOSING || byte === OBJECT + CLOSING;

export function afterSpace(json: Uint8Array, start: number): number {
  let at = start;
  while (isSpace(json[at])) at++;
  return at;
}

/** The position behind the string that opens at `start`; past the end where it is not closed. */
export function endOfString(json: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

const isPunctuation = (byte: number | undefined) =>
  byte === COMMA || byte === COLON || isOpening(byte) || isClosing(byte);

/** The position behind the token of valid JSON, or the white space, that begins at `start`. */
export function endOfToken(json: Uint8Array, start: number): number {
  const byte = json[start];
  if (byte === QUOTE) return endOfString(json, start);
  if (isPunctuation(byte)) return start + 1;
  let at = start + 1;
  if (isSpace(byte)) return afterSpace(json, at);
  while (at < json.length && !isPunctuation(json[at]) && !isSpace(json[at])) at++;
  return at;
}

/** The number of some hex digits at a position; NaN where there are not as many. */
export function hexNumber(json: Uint8Array, start: number, count: number): number {
  let number = 0;
  for (let at = start; at < start + count; at++) {
    const byte = json[at] ?? 0;
    const letter = byte | 0x20;
    if (isDigit(byte)) number = number * 16 + byte - 0x30;
    else if (letter >= 0x61 && letter <= 0x66) number = number * 16 + letter - 0x57;
    else return Number.NaN;
  }
  return number;
}

/** The code unit of an escape whose four digits begin at a position. */
export const hexUnit = (json: Uint8Array, start: number): number => hexNumber(json, start, 4);

function afterDigits(json: Uint8Array, start: number): number {
  let at = start;
  while (isDigit(json[at])) at++;
  return at === start ? Number.NaN : at;
}

function afterNumber(json: Uint8Array, start: number): number {
  let at = json[start] === MINUS ? start + 1 : start;
  at = json[at] === 0x30 ? at + 1 : afterDigits(json, at);
  if (json[at] === 0x2e) at = afterDigits(json, at + 1);
  if (json[at] === 0x65 || json[at] === 0x45) {
    const isSigned = json[at + 1] === MINUS || json[at + 1] === 0x2b;
    at = afterDigits(json, at + (isSigned ? 2 : 1));
  }
  return at;
}

const ESCAPES: ReadonlySet<number | undefined> = new Set(Array.from('"\\/bfnrt', (each) => each.charCodeAt(0)));

function afterString(json: Uint8Array, start: number): number {
  if (json[start] !== QUOTE) return Number.NaN;
  let at = start + 1;
  for (let byte = json[at]; byte !== QUOTE; byte = json[at]) {
    if (byte === undefined || byte < 0x20) return Number.NaN;
    if (byte !== BACKSLASH) at++;
    else if (ESCAPES.has(json[at + 1])) at += 2;
    else if (json[at + 1] === LOWER_U && !Number.isNaN(hexUnit(json, at + 2))) at += 6;
    else return Number.NaN;
  }
  return at + 1;
}

const WORDS = ['true', 'false', 'null'].map((word) => Array.from(word, (each) => each.charCodeAt(0)));

function afterScalar(json: Uint8Array, start: number): number {
  if (json[start] === QUOTE) return afterString(json, start);
  if (json[start] === MINUS || isDigit(json[start])) return afterNumber(json, start);
  const word = WORDS.find((each) => each.every((byte, at) => json[start + at] === byte));
  return word === undefined ? Number.NaN : start + word.length;
}

/** The position of the value behind a key. */
function afterKey(json: Uint8Array, start: number): number {
  const at = afterSpace(json, afterString(json, start));
  return json[at] === COLON ? afterSpace(json, at + 1) : Number.NaN;
}

export type Kind = 'array' | 'object' | 'string' | 'other';

const KINDS = new Map<number | undefined, Kind>([
  [LIST, 'array'],
  [OBJECT, 'object'],
  [QUOTE, 'string'],
]);

/** Whether bytes, which are UTF-8, are JSON, and of which kind. However deep it is nested, it takes as much memory as they do. */
export function kindOf(json: Uint8Array): Kind | undefined {
  const open = new Uint8Array(json.length);
  let depth = 0;
  const first = afterSpace(json, 0);
  // Positions that are not found are NaN, at which there is nothing.
  for (let at = first; at < json.length; ) {
    const byte = json[at];
    if (byte === LIST || byte === OBJECT) {
      open[depth++] = byte;
      at = afterSpace(json, at + 1);
      if (json[at] !== byte + CLOSING) {
        if (byte === OBJECT) at = afterKey(json, at);
        continue;
      }
    } else at = afterSpace(json, afterScalar(json, at));
    for (; depth > 0 && json[at] === (open[depth - 1] as number) + CLOSING; depth--) at = afterSpace(json, at + 1);
    if (depth === 0) return at === json.length ? (KINDS.get(json[first]) ?? 'other') : undefined;
    if (json[at] !== COMMA) return undefined;
    at = afterSpace(json, at + 1);
    if (open[depth - 1] === OBJECT) at = afterKey(json, at);
  }
  return undefined;
}
