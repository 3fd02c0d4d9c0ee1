// Repetitive texts: what the steps of explainFailure look for, over and over.

/** What is repeated: one to ten characters. */
export const units: readonly string[] = [
  ...['\0', '\x01', ' ', '\t', '\n', '\r', '\r\n', ' \n', '\u00a0', '\ufeff'],
  ...['a', '1', '12', '0', '-1,', '1,', '1 , ', '255,', '1.0,', '1e5,', '9007199254740993,', '[1],', '[],', '{},'],
  ...['[', ']', '[[', '{"a":', '"a":1,', '"":{},', '{"b":1},', ',', ':', '"', "'", '`', '"a",', '"a" , '],
  ...['\\', '\\\\', '\\"', '\\n', '\\/', '\\u0041', '\\u00e9', '\\ud83d', '\\b\\f'],
  ...['%', '%41', '%zz', '+', '=', 'a=b&', '&', '&lt;', '&#60;', '&#x3c;', '&amp', ';', '|', '; ,', '#', ' #', ' // '],
  ...['\u0301', '\u0327\u0301', 'a\u0301', '\u0f73', 'é', '€', '漢', '한', '😀', '\u2028', '\ufffd'],
  ...['YWJj', '-_', 'ab', '0a', 'ab:', 'ab ', '0x', 'v1=a,', ' v1', 't=1,', 't', 'sha256=', 'my ', 'your-key '],
  ...['{{', '}}', '<', '*'],
];

/** What stands around them. */
export type Frame = readonly [head: string, tail: string, closing?: 'closed' | undefined];

export const frames: readonly Frame[] = [
  ['', ''],
  ['', 'x\0'],
  [' ', 'x'],
  ['[', '0]'],
  // What the units open is closed.
  ['', '', 'closed'],
  ['["', '"]'],
  ['{', '"":0}'],
  ['{"body":"', '"}'],
  ['{"[', '":"1"}'],
  ['"', ' "x'],
  ['{"type":"Buffer","data":[', '1]}'],
  ['\ufeff[', ''],
  ['a=%41', '='],
  ['1795176000', ''],
  ['t=1,v1=', ' '],
];

const CLOSING = new Map([
  ['[', ']'],
  ['{', '}'],
]);
const closing = (unit: string) =>
  Array.from(unit, (character) => CLOSING.get(character) ?? '')
    .reverse()
    .join('');

/** A body of about that size in bytes. */
export function repeated([head, tail, closed]: Frame, unit: string, size: number): string {
  const times = Math.floor(size / new TextEncoder().encode(unit).length);
  return `${head}${unit.repeat(times)}${closed ? `0${closing(unit).repeat(times)}` : ''}${tail}`;
}
