import { fromCodes } from './bytes.js';
import {
  BACKSLASH,
  endOfString,
  hexUnit,
  isClosing,
  isDigit,
  isOpening,
  isSpace,
  LINE_FEED,
  LOWER_U,
  QUOTE,
  SLASH,
} from './json-scan.js';

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

/** More digits than this are not written as such. */
const MOST_DIGITS = 21;

function isRounded(digits: Uint8Array): boolean {
  if (digits.length <= 16 || digits.length > MOST_DIGITS) return false;
  const text = fromCodes(digits);
  return text.endsWith('0') && Number(text) > 2 ** 53 && String(Number(text)) === text;
}

function isNeedless(json: Uint8Array, backslash: number): boolean {
  if (json[backslash + 1] !== LOWER_U) return json[backslash + 1] === SLASH;
  const unit = hexUnit(json, backslash + 2);
  return unit >= 0x20 && (unit < 0xd800 || unit > 0xdfff);
}

function hasNeedless(json: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += json[at] === BACKSLASH ? 2 : 1) {
    if (json[at] === BACKSLASH && isNeedless(json, at)) return true;
  }
  return false;
}

/** Goes over bytes once, whether or not they are JSON. */
export function looksOf(json: Uint8Array): Looks {
  let depth = 0;
  let space: Looks['space'] = 'none';
  let [rounded, escaped] = [false, false];
  for (let at = 0, end = 0; at < json.length; at = end) {
    const byte = json[at] as number;
    end = at + 1;
    if (byte === QUOTE) {
      end = endOfString(json, at);
      if (end > json.length) depth++;
      escaped ||= hasNeedless(json, at, end);
    } else if (isOpening(byte)) depth++;
    else if (isClosing(byte)) depth--;
    else if (isSpace(byte) && depth > 0) {
      if (byte === LINE_FEED) space = 'indented';
      else if (space === 'none') space = 'spaced';
    } else if (isDigit(byte)) {
      while (isDigit(json[end])) end++;
      rounded ||= isRounded(json.subarray(at, end));
    }
  }
  return { depth, space, rounded, escaped };
}
