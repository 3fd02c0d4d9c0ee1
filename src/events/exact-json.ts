const NUMBER = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/** A decimal in canonical form, so that two spellings of the same quantity compare equal. Zero is empty text. */
function canonical(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = 0] = NUMBER.exec(number) ?? [];
  let digits = whole + fraction;
  let power = Number(exponent) - fraction.length;
  while (digits.endsWith('0')) {
    digits = digits.slice(0, -1);
    power++;
  }
  digits = digits.replace(/^0+/, '');
  return digits && `${sign}${digits}e${power}`;
}

/** A double has at most 17 significant digits, so a number with many more cannot be exact. */
const LONGEST = 400;

/** A whole number beyond the safe range, or infinity, may not be the number that was sent. */
export function isExact(number: number): boolean {
  return Number.isFinite(number) && (Number.isSafeInteger(number) || !Number.isInteger(number));
}

function survives(number: string): boolean {
  const value = Number(number);
  if (!isExact(value)) return false;
  // The usual spelling.
  return String(value) === number || (number.length <= LONGEST && canonical(number) === canonical(String(value)));
}

const isDigit = (code: number) => code >= 0x30 && code <= 0x39;
// JSON allows no other character this low, neither between its values nor in its strings.
const isSpace = (code: number) => code <= 0x20;

/** Whether JSON allows a number at the digits that end before `end`. Text in a string can look the same. */
function isNumberBefore(text: string, end: number): boolean {
  let at = end - 1;
  while (isDigit(text.charCodeAt(at))) at--;
  if (text[at] === '-') at--;
  while (isSpace(text.charCodeAt(at))) at--;
  if (text[at] !== ':') return text[at] === ',' || text[at] === '[';
  at--;
  while (isSpace(text.charCodeAt(at))) at--;
  return text[at] === '"';
}

/**
 * Whether JSON text may contain a number that JSON.parse rounds to a whole number that looks exact: one with a fraction
 * or a negative exponent. Checks points and signs only, at a fiftieth of the cost of parsing. False positives are
 * possible.
 */
export function mayHoldFraction(text: string): boolean {
  for (let at = text.indexOf('.'); at !== -1; at = text.indexOf('.', at + 1)) {
    if (isNumberBefore(text, at)) return true;
  }
  for (let at = text.indexOf('-'); at !== -1; at = text.indexOf('-', at + 1)) {
    if ((text[at - 1] === 'e' || text[at - 1] === 'E') && isNumberBefore(text, at - 1)) return true;
  }
  return false;
}

/** Depth limit of the search for numbers, so that recursion does not overflow. */
const MOST_LEVELS = 1000;
const [MINUS, COMMA, COLON, QUOTE, BACKSLASH] = [0x2d, 0x2c, 0x3a, 0x22, 0x5c];
const [ARRAY, ARRAY_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Parses JSON text without rounding: a number that JavaScript cannot represent exactly becomes a string of the digits
 * that were sent. Linear in the text.
 *
 * @param text Text that JSON.parse accepts. Other text may cause an endless loop.
 * @param levels How deep arrays and objects are read.
 * @param below Returns the replacement for an array or object below the last level, given its text.
 */
export function parseExactJson(
  text: string,
  levels = MOST_LEVELS,
  below: (json: string) => unknown = JSON.parse,
): unknown {
  let at = 0;

  /** Moves past spaces and separators. */
  function next(): number {
    let code = text.charCodeAt(at);
    while (isSpace(code) || code === COMMA || code === COLON) code = text.charCodeAt(++at);
    return code;
  }

  /** Moves past a string, a number or a word, and returns its text. */
  function token(): string {
    const start = at;
    if (text.charCodeAt(at) === QUOTE) at = endOfString(text, at);
    else while (at < text.length && !',]} \t\r\n'.includes(text.charAt(at))) at++;
    return text.slice(start, at);
  }

  function skipped(): string {
    const start = at;
    let depth = 0;
    do {
      const code = text.charCodeAt(at);
      if (code === ARRAY || code === OBJECT) depth++;
      else if (code === ARRAY_END || code === OBJECT_END) depth--;
      at = code === QUOTE ? endOfString(text, at) : at + 1;
    } while (depth > 0);
    return text.slice(start, at);
  }

  function read(left: number): unknown {
    const code = next();
    if (code !== ARRAY && code !== OBJECT) {
      const json = token();
      const isNumber = code === MINUS || isDigit(code);
      if (isNumber && survives(json)) return Number(json);
      // Parsed, because a slice would keep the whole text in memory.
      return JSON.parse(isNumber ? `"${json}"` : json);
    }
    if (left === 0) return below(skipped());
    at++;
    const value = code === ARRAY ? elements(left - 1) : members(left - 1);
    at++;
    return value;
  }

  function elements(left: number): unknown[] {
    const array: unknown[] = [];
    while (next() !== ARRAY_END) array.push(read(left));
    return array;
  }

  function members(left: number): object {
    const object: Record<string, unknown> = {};
    while (next() !== OBJECT_END) {
      const json = token();
      const key: string = json.includes('\\') ? JSON.parse(json) : json.slice(1, -1);
      // Define `__proto__` as data.
      if (key === '__proto__') Object.defineProperty(object, key, OWN);
      object[key] = read(left);
    }
    return object;
  }

  return read(levels);
}

const OWN = { writable: true, enumerable: true, configurable: true };

/** The position after the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at + 1;
}
