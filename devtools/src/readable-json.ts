/** Limit of commas and opening brackets: well over a thousand events, parsed in a few tenths of a second. */
const MOST_MARKS = 100_000;
const [COMMA, LIST, OBJECT] = [0x2c, 0x5b, 0x7b];

/**
 * Whether JSON text is cheap enough to parse. It may be unverified, and a body of many tiny values takes a thousand times
 * the time and memory of one that is mostly text.
 *
 * @param most Limit of commas and opening brackets. (Default: 100 000.)
 */
export function isReadable(json: Uint8Array, most = MOST_MARKS): boolean {
  let marks = 0;
  for (const byte of json) if (byte === COMMA || byte === LIST || byte === OBJECT) marks++;
  return marks <= most;
}
