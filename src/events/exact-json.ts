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
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return false;
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

/**
 * Parses JSON text without rounding: a number that JavaScript cannot represent exactly becomes a string of the digits
 * that were sent. Linear in the text; for text that JSON.parse has already accepted.
 */
export function parseExactJson(text: string): unknown {
  const parts: string[] = [];
  let copied = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      at = endOfString(text, at);
    } else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      const start = at;
      while (at < text.length && !',]} \t\r\n'.includes(text.charAt(at))) at++;
      const number = text.slice(start, at);
      if (!survives(number)) {
        parts.push(text.slice(copied, start), '"', number, '"');
        copied = at;
      }
    } else {
      at++;
    }
  }
  return JSON.parse(parts.join('') + text.slice(copied));
}

/** The position after the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text.charCodeAt(at) !== 0x22) at += text.charCodeAt(at) === 0x5c ? 2 : 1;
  return at + 1;
}
