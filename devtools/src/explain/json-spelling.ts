import { ByteSink } from './byte-sink.js';
import { BACKSLASH, hexUnit, LOWER_U, QUOTE, SLASH } from './json-scan.js';

/** How a program writes the characters in strings. */
export interface Spelling {
  /** Which characters it writes as \u…, of those that need not be. */
  readonly escapes: (point: number) => boolean;
  /** The letters of the escapes that have one, by the characters that they stand for. */
  readonly letters: ReadonlyMap<number, string>;
  /** Whether it writes a slash as \/. */
  readonly slash?: boolean;
}

const letters = new Map(
  Array.from('""\\\\\bb\ff\nn\rr\tt'.matchAll(/(.)(.)/gs), ([, point = '', letter = '']) => [
    point.charCodeAt(0),
    letter,
  ]),
);
/** The characters that escapes with a letter stand for. */
const POINTS = new Map<number | undefined, number>([
  ...Array.from(letters, ([point, letter]) => [letter.charCodeAt(0), point] as const),
  [SLASH, SLASH],
]);

const REPLACEMENT = 0xfffd;
const javascript: Spelling = { escapes: () => false, letters };
const go: Spelling = {
  escapes: (point) => point === 0x26 || point === 0x3c || point === 0x3e || point === 0x2028 || point === 0x2029,
  letters,
};
const olderGo: Spelling = {
  ...go,
  letters: new Map([...letters].filter(([, letter]) => letter !== 'b' && letter !== 'f')),
};
/** Go escapes U+FFFD where it replaces bytes that are not UTF-8, such as those of a contract's string. */
const replacing = (spelling: Spelling): Spelling => ({
  ...spelling,
  escapes: (point) => point === REPLACEMENT || spelling.escapes(point),
});
const python: Spelling = { escapes: (point) => point >= 0x7f, letters };

/** The service's first. */
export const spellings = {
  go,
  javascript,
  olderGo,
  goReplacing: replacing(go),
  olderGoReplacing: replacing(olderGo),
  python,
  php: { ...python, slash: true },
} satisfies Record<string, Spelling>;

const LONGEST_ESCAPE = 6;
const unicode = (unit: number) => `\\u${unit.toString(16).padStart(4, '0')}`;
const isHigh = (unit: number) => unit >= 0xd800 && unit < 0xdc00;
const isLow = (unit: number) => unit >= 0xdc00 && unit < 0xe000;

/** Reads the escape at a position, or the pair of escapes of one character. */
function readEscape(json: Uint8Array, at: number): readonly [point: number, end: number] {
  if (json[at + 1] !== LOWER_U) return [POINTS.get(json[at + 1]) as number, at + 2];
  const unit = hexUnit(json, at + 2);
  const second = isHigh(unit) && json[at + 6] === BACKSLASH && json[at + 7] === LOWER_U ? hexUnit(json, at + 8) : 0;
  if (!isLow(second)) return [unit, at + 6];
  return [0x10000 + ((unit - 0xd800) << 10) + second - 0xdc00, at + 12];
}

/** Reads a character of UTF-8 that is more than a byte. */
function readWide(json: Uint8Array, at: number): readonly [point: number, end: number] {
  const first = json[at] as number;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  let point = first & (0x7f >> length);
  for (let next = at + 1; next < at + length; next++) point = (point << 6) | ((json[next] as number) & 0x3f);
  return [point, at + length];
}

/** Whether a character is written as it is. */
function isPlain(point: number, { escapes, letters, slash }: Spelling): boolean {
  if (letters.has(point) || (slash && point === SLASH)) return false;
  return point >= 0x20 && !isHigh(point) && !isLow(point) && !escapes(point);
}

function write(sink: ByteSink, point: number, spelling: Spelling): void {
  const letter = spelling.letters.get(point);
  if (isPlain(point, spelling)) sink.point(point);
  else if (letter !== undefined) sink.ascii(`\\${letter}`);
  else if (point === SLASH) sink.ascii('\\/');
  else if (point < 0x10000) sink.ascii(unicode(point));
  else sink.ascii(unicode(0xd7c0 + (point >> 10)) + unicode(0xdc00 + (point & 0x3ff)));
}

/** Whether valid JSON escapes a character that a program writes as it is. */
export function escapesMore(json: Uint8Array, spelling: Spelling): boolean {
  for (let at = json.indexOf(BACKSLASH); at >= 0; ) {
    const [point, end] = readEscape(json, at);
    if (isPlain(point, spelling)) return true;
    at = json.indexOf(BACKSLASH, end);
  }
  return false;
}

/** Writes valid JSON with its strings spelled in another way, in one pass. White space stays as it is. */
export function spelled(json: Uint8Array, spelling: Spelling): Uint8Array {
  const sink = new ByteSink(json.length, LONGEST_ESCAPE * json.length);
  for (let at = 0; at < json.length; ) {
    const byte = json[at] as number;
    if (byte === BACKSLASH || byte >= 0x80) {
      const [point, end] = byte === BACKSLASH ? readEscape(json, at) : readWide(json, at);
      write(sink, point, spelling);
      at = end;
    } else {
      // Quotes and white space that are not escaped stand around strings, not in them.
      if (byte <= QUOTE) sink.push(byte);
      else write(sink, byte, spelling);
      at++;
    }
  }
  return sink.done();
}
