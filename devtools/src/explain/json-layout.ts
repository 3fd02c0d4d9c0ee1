import { ByteSink } from './byte-sink.js';
import { utf8 } from './bytes.js';
import { afterSpace, COLON, COMMA, endOfToken, isClosing, isOpening, isSpace, LINE_FEED } from './json-scan.js';

/** How JSON is laid out. */
export interface Layout {
  /** What one level of indentation repeats, and how often; 0 for one line. */
  readonly indent: readonly [byte: number, count: number];
  readonly comma: Uint8Array;
  readonly colon: Uint8Array;
}

export const compact: Layout = { indent: [0, 0], comma: utf8(','), colon: utf8(':') };
/** As Python's json.dumps lays it out. */
export const spaced: Layout = { indent: [0, 0], comma: utf8(', '), colon: utf8(': ') };
export const indented = (character: ' ' | '\t', count: number): Layout => ({
  indent: [character.charCodeAt(0), count],
  comma: utf8(','),
  colon: utf8(': '),
});

/** Deep nesting grows with its square when it is indented: nobody sends what is this much white space. */
const MOST_GROWTH = 4;
const SMALL = 65_536;

/** Writes valid JSON in a layout, in one pass over its tokens. Throws when it becomes much longer. */
export function laidOut(json: Uint8Array, { indent: [byte, count], comma, colon }: Layout): Uint8Array {
  const sink = new ByteSink(json.length, MOST_GROWTH * json.length + SMALL);
  let depth = 0;
  const breakLine = () => {
    if (count === 0) return;
    sink.push(LINE_FEED);
    sink.fill(byte, count * depth);
  };
  for (let at = 0, end = 0; at < json.length; at = end) {
    const first = json[at] as number;
    end = endOfToken(json, at);
    if (isSpace(first)) continue;
    if (first === COMMA) {
      sink.append(comma);
      breakLine();
    } else if (first === COLON) {
      sink.append(colon);
    } else if (isOpening(first)) {
      sink.push(first);
      end = afterSpace(json, end);
      // An empty array or object stays on one line.
      if (isClosing(json[end])) sink.push(json[end++] as number);
      else {
        depth++;
        breakLine();
      }
    } else if (isClosing(first)) {
      depth--;
      breakLine();
      sink.push(first);
    } else sink.append(json, at, end);
  }
  return sink.done();
}
