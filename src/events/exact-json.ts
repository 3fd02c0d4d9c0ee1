import type { JsonValue } from './types.js';

const NUMBER = /(\d+)\.?(\d*)(?:[eE](.+))?/;

/** The quantity of a decimal without its sign: two spellings of it compare equal. Zero is empty text. */
function quantityOf(number: string): string {
  const [, whole, fraction, exponent = 0] = NUMBER.exec(number) as unknown as [string, string, string, string?];
  let digits = (whole + fraction).replace(/^0+/, '');
  let power = Number(exponent) - fraction.length;
  while (digits.endsWith('0')) {
    digits = digits.slice(0, -1);
    power++;
  }
  return digits && `${digits}e${power}`;
}

/** A double has at most 17 significant digits, so a number with many more cannot be exact. */
const LONGEST = 400;

/** Whether JSON.parse returns the number of this text. */
function survives(number: string): boolean {
  const value = Number(number);
  if (!isExact(value)) return false;
  // The usual spelling.
  return String(value) === number || (number.length <= LONGEST && quantityOf(number) === quantityOf(String(value)));
}

/** A whole number beyond the safe range, or infinity, may not be the number that was sent. */
function isExact(number: number): boolean {
  return Number.isFinite(number) && (Number.isSafeInteger(number) || !Number.isInteger(number));
}

/** How deep an item may nest, counting the item itself. JSON.stringify recurses and must not overflow. */
export const MOST_LEVELS = 256;

/** Whether a value nests at most `levels` deep, and its leaves pass, of which text always does. A cycle nests too deep. */
export function everyLeaf(value: unknown, passes: (leaf: unknown) => boolean, levels = MOST_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' || passes(value);
  if (levels === 0) return false;
  // A separate loop, because engines optimize object keys only in code that never sees an array.
  if (Array.isArray(value)) {
    for (const child of value) if (!everyLeaf(child, passes, levels - 1)) return false;
    return true;
  }
  for (const key in value) {
    const child = (value as Record<string, unknown>)[key];
    // Most are text.
    if (typeof child !== 'string' && !everyLeaf(child, passes, levels - 1)) return false;
  }
  return true;
}

/** Whether a value nests deeper than an item may. */
export const isTooDeep = (value: unknown): boolean => !everyLeaf(value, () => true);

/** Whether a value is JSON without numbers that were certainly rounded. */
export function isJsonValue(value: unknown): value is JsonValue {
  return everyLeaf(value, (leaf) =>
    typeof leaf === 'number' ? isExact(leaf) : leaf === null || typeof leaf === 'boolean',
  );
}

/** The point or exponent after the whole digits of a number, at this position. Text in a string can look the same. */
const FRACTION = /(?<=(?:"\s*:|[,[]|^)\s*-?\d+)(?:\.|[eE]-)/y;

/** Whether JSON text may contain a number that JSON.parse rounds to a whole number that looks exact. */
function mayHideFraction(text: string): boolean {
  const isFraction = (at: number) => {
    FRACTION.lastIndex = at;
    // Most points are in text, behind a letter.
    return (text[at - 1] as string) <= '9' && FRACTION.test(text);
  };
  // Few texts have points, and few signs follow the letter of an exponent.
  for (let at = text.indexOf('.'); at !== -1; at = text.indexOf('.', at + 1)) if (isFraction(at)) return true;
  for (let at = text.indexOf('-'); at !== -1; at = text.indexOf('-', at + 1)) {
    if ((text[at - 1] === 'e' || text[at - 1] === 'E') && isFraction(at - 1)) return true;
  }
  return false;
}

const isSafe = (leaf: unknown) => typeof leaf !== 'number' || Number.isSafeInteger(leaf);

/**
 * Whether what JSON.parse made of a text may contain rounded numbers, or nests deeper than an item may. False positives are
 * possible.
 */
export function needsCare(value: unknown, text: string): boolean {
  return !everyLeaf(value, isSafe) || mayHideFraction(text);
}

/** A number of JSON that is not a key. */
const TOKEN = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\s*:)/y;

/** From this size, the values of a text that JSON.parse rounds should not be in memory twice. */
const LARGE = 1 << 20;
/** How much of it is looked at: looking at all of it would take a fifth of the time of JSON.parse. */
const SAMPLE = 1 << 16;
const LONG_OR_FRACTION = /[:,[]\s*-?(?:\d{16}|\d+[.eE])/;

/** Whether a text is large and begins with numbers that may be rounded: making it exact before it is parsed saves memory. */
export const isLargeAndInexact = (text: string): boolean =>
  text.length > LARGE && LONG_OR_FRACTION.test(text.slice(0, SAMPLE));

/**
 * JSON text in which JSON.parse rounds nothing: a number that JavaScript cannot represent exactly is in quotes, and `"…"`
 * replaces arrays and objects below `levels`. Text that is not JSON stays so, if nothing is replaced below `levels`.
 * Linear in the text.
 */
export function exactText(text: string, levels = Number.POSITIVE_INFINITY): string {
  let exact = '';
  const parts: string[] = [];
  let copied = 0;
  let depth = 0;
  let cut = 0;
  function replace(start: number, end: number, by: string): void {
    parts.push(text.slice(copied, start), by);
    copied = end;
    // A text of as many parts as numbers would take ten times its memory.
    if (parts.length > 1000) exact += parts.splice(0).join('');
  }
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (char === '"') at = endOfString(text, at);
    else if (char === '[' || char === '{') {
      if (depth++ === levels) cut = at;
    } else if (char === ']' || char === '}') {
      if (--depth === levels) replace(cut, at + 1, '"…"');
    } else if (char === '-' || (char >= '0' && char <= '9')) {
      TOKEN.lastIndex = at;
      if (!TOKEN.test(text)) continue;
      const number = text.slice(at, TOKEN.lastIndex);
      if (depth <= levels && !survives(number)) replace(at, TOKEN.lastIndex, `"${number}"`);
      at = TOKEN.lastIndex - 1;
    }
  }
  return exact + parts.join('') + text.slice(copied);
}

/** The position of the quote that ends the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

/**
 * Parses JSON text without rounding: a number that JavaScript cannot represent exactly becomes a string of the digits
 * that were sent.
 *
 * @throws SyntaxError for text that is not JSON.
 */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return needsCare(value, text) ? JSON.parse(exactText(text)) : value;
}
