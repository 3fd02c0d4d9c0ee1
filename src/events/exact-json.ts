const NUMBER = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/** A decimal in one canonical form, so that two spellings of the same quantity compare equal. That of zero is empty. */
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

/** A double distinguishes at most 17 significant digits, so a number with many more cannot be exact. */
const LONGEST = 400;

function survives(number: string): boolean {
  const value = Number(number);
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) return false;
  // Most numbers are spelled so.
  if (String(value) === number) return true;
  return number.length <= LONGEST && canonical(number) === canonical(String(value));
}

const isDigit = (code: number) => code >= 0x30 && code <= 0x39;
// JSON allows no other character this low, neither between its values nor in its strings.
const isSpace = (code: number) => code <= 0x20;

/** Whether the digits that end before `end` are where JSON allows a number. Text in a string can look the same. */
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
 * Whether JSON text may contain a number that JSON.parse rounds to a whole number that looks exact: one with a fraction or
 * a negative exponent. Checks points and signs only, at a fiftieth of the cost of parsing. Can return true without need.
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

/** How deep numbers are looked for where depth has no other limit: recursion must not overflow. */
const MOST_LEVELS = 1000;

/**
 * Parses JSON text without rounding: a number that JavaScript cannot represent exactly becomes a string of the digits
 * that were sent, down to 1000 levels. Linear in the text.
 */
export function parseExactJson(text: string): unknown {
  return restoreNumbers(JSON.parse(text), text, MOST_LEVELS);
}

const [QUOTE, ARRAY, ARRAY_END, OBJECT, OBJECT_END] = [0x22, 0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Returns what {@link parseExactJson} does, given what JSON.parse made of the text: changes it in place, so that it is in
 * memory once. With `onLevel`, puts `"…"` in place of what is below the last level, and passes to it the positions in the
 * outermost array of what is on that level.
 *
 * Reads the text along with the value. Of equal keys the last one counts, so a text may be read along with the value of
 * another: what that puts there is corrected when the text of the last one is read.
 */
export function restoreNumbers<Value>(
  parsed: Value,
  text: string,
  levels: number,
  onLevel?: (position: number) => void,
): Value {
  let at = 0;
  let position = 0;
  let digits = '';

  /** Moves past spaces and separators. */
  function next(): number {
    let code = text.charCodeAt(at);
    while (isSpace(code) || code === 0x2c || code === 0x3a) code = text.charCodeAt(++at);
    return code;
  }

  /** Reads a string, and makes another one only if it is not `current`. */
  function string(current?: unknown): string {
    const start = at + 1;
    at = endOfString(text, at);
    const written = text.slice(start, at - 1);
    const isOther = (current !== undefined && written !== current) || written.includes('\\');
    return isOther ? JSON.parse(`"${written}"`) : written;
  }

  function primitive(code: number, current: unknown): unknown {
    if (code === QUOTE) return string(current);
    const start = at;
    while (at < text.length && !',]} \t\r\n'.includes(text.charAt(at))) at++;
    const token = text.slice(start, at);
    if ((code !== 0x2d && !isDigit(code)) || survives(token)) return JSON.parse(token);
    // A copy: a slice of a text keeps all of it in memory. One copy serves a list of equal numbers.
    if (token !== digits) digits = JSON.parse(`"${token}"`);
    return digits;
  }

  function skip(): void {
    let depth = 0;
    do {
      const code = text.charCodeAt(at);
      if (code === ARRAY || code === OBJECT) depth++;
      else if (code === ARRAY_END || code === OBJECT_END) depth--;
      at = code === QUOTE ? endOfString(text, at) : at + 1;
    } while (depth > 0);
  }

  /** Reads the next value and returns what belongs in the place of `current`. */
  function read(current: unknown, left: number): unknown {
    const code = next();
    const isContainer = typeof current === 'object' && current !== null;
    if (code !== ARRAY && code !== OBJECT) {
      const value = primitive(code, current);
      return isContainer || current === undefined ? current : value;
    }
    if (!isContainer || Array.isArray(current) !== (code === ARRAY)) {
      skip();
      return current;
    }
    if (left === 0) {
      skip();
      return onLevel ? '…' : current;
    }
    if (left === 1) onLevel?.(position);
    at++;
    const value = Array.isArray(current) ? elements(current, left - 1) : members(current, left - 1);
    at++;
    return value;
  }

  function members(object: object, left: number): object {
    while (next() !== OBJECT_END) {
      const key = string();
      const current: unknown = Object.hasOwn(object, key) ? Reflect.get(object, key) : undefined;
      const value = read(current, left);
      if (!Object.is(value, current)) Reflect.set(object, key, value);
    }
    return object;
  }

  function elements(array: unknown[], left: number): unknown[] {
    let result = array;
    let index = 0;
    for (; next() !== ARRAY_END; index++) {
      if (array === parsed) position = index;
      const current = array[index];
      const value = read(current, left);
      if (index >= array.length) continue;
      if (result === array && array.length > LARGE && !Object.is(value, current)) result = copyForText(array, index);
      result[index] = value;
    }
    // Left by a text that is shorter than the last of its key.
    if (result !== array) for (; index < array.length; index++) result[index] = array[index];
    return result;
  }

  return read(parsed, levels) as Value;
}

const LARGE = 1000;

/**
 * A copy of an array up to `index`, where text belongs. In V8 text turns each number in an array into an object, so here
 * only numbers before it are.
 */
function copyForText(array: readonly unknown[], index: number): unknown[] {
  const copy = new Array<unknown>(array.length);
  copy[index] = '';
  for (let each = 0; each < index; each++) copy[each] = array[each];
  return copy;
}

/** The position after the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === 0x5c ? 2 : 1;
  return at + 1;
}
