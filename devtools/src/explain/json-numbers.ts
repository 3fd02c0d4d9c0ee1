import { ByteSink } from './byte-sink.js';
import { fromCodes } from './bytes.js';
import { endOfToken, isDigit } from './json-scan.js';
import { withoutEnd } from './text.js';

const MINUS = 0x2d;
const ZERO = 0x30;
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,9}))?$/i;
/** What is longer is compared as it is written. */
const LONGEST = 1000;

/** One spelling for all numbers of the same value: 1, 1.0 and 10e-1 are 1. */
export function plainNumber(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const all = (whole + fraction).replace(/^0+/, '');
  if (whole === '') return text;
  if (all === '') return '0';
  const digits = withoutEnd(all, '0');
  const power = Number(exponent) - fraction.length + all.length - digits.length;
  return power === 0 ? sign + digits : `${sign}${digits}e${power}`;
}

/** Whether a number is whole and does not end in zero: most are, and have no other spelling without an exponent. */
function isPlain(json: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (!isDigit(json[at])) return false;
  return json[end - 1] !== ZERO;
}

/** Writes valid JSON with one spelling for each number. */
export function withPlainNumbers(json: Uint8Array): Uint8Array {
  const sink = new ByteSink(json.length, 3 * json.length);
  for (let at = 0, end = 0; at < json.length; at = end) {
    end = endOfToken(json, at);
    const isNumber = (json[at] === MINUS || isDigit(json[at])) && end - at <= LONGEST;
    if (isNumber && !isPlain(json, at, end)) sink.ascii(plainNumber(fromCodes(json.subarray(at, end))));
    else sink.append(json, at, end);
  }
  return sink.done();
}
