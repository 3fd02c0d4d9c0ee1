const NUMBER = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/** A decimal in one canonical form, so that two spellings of the same quantity compare equal. */
function canonical(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(number) ?? [];
  let digits = whole + fraction;
  let power = Number(exponent) - fraction.length;
  while (digits.endsWith('0')) {
    digits = digits.slice(0, -1);
    power++;
  }
  digits = digits.replace(/^0+/, '');
  return digits === '' ? '0' : `${sign}${digits}e${power}`;
}

/** A double tells apart no more than 17 significant digits: what is written with many more cannot be exact. */
const LONGEST = 400;

function survives(number: string): boolean {
  return number.length <= LONGEST && canonical(number) === canonical(String(Number(number)));
}

/**
 * Parses JSON text so that no number is rounded: one that a JavaScript number cannot hold becomes a string of the
 * digits that were sent. Linear in the text; for text that JSON.parse has already accepted.
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
