import { randomBytes } from 'node:crypto';

/** What decides, with a given signature, at which digit the comparison first differs. */
export interface Side {
  readonly body: Uint8Array;
  readonly mac: string;
}

/**
 * Two sides and two given signatures. `given[0]` is of the one class under `sides[0]` and of the other under `sides[1]`;
 * `given[1]` the reverse. So the classes contain the same objects, equally often: only their combination differs.
 */
export interface Pair {
  readonly sides: readonly [Side, Side];
  readonly given: readonly [string, string];
}

/** Which class a combination is of. */
export const classOf = (side: 0 | 1, given: 0 | 1): 0 | 1 => (side === given ? 0 : 1);

const DIGITS = '0123456789abcdef';
/** A digit that is none of some. */
const otherThan = (...digits: (string | undefined)[]) => [...DIGITS].find((digit) => !digits.includes(digit)) ?? '';
const isDisjoint = (a: string, b: string) => [...a].every((digit, at) => digit !== b[at]);
/** A string that is not internalized and in one piece, as a header is. */
const flat = (text: string) => Buffer.from(text, 'latin1').toString('latin1');

/** Class 0: 63 right digits and a wrong last one. Class 1: 64 wrong digits. */
export function prefixPair(length: number, hmac: (body: Uint8Array) => string): Pair {
  const side = (): Side => {
    const body = new Uint8Array(Buffer.from(randomBytes(length / 2).toString('hex'), 'latin1'));
    return { body, mac: hmac(body) };
  };
  const first = side();
  let second = side();
  while (!isDisjoint(first.mac, second.mac)) second = side();
  const last = otherThan(first.mac[63], second.mac[63]);
  return {
    sides: [first, second],
    given: [flat(first.mac.slice(0, 63) + last), flat(second.mac.slice(0, 63) + last)],
  };
}

/** Class 0: only the first digit is wrong. Class 1: only the last digit is wrong. */
export function endsPair(body: Uint8Array): Pair {
  const mac = randomBytes(32).toString('hex');
  const [first = '', middle, last = ''] = [mac[0], mac.slice(1, 63), mac[63]];
  const [newFirst, newLast] = [otherThan(first), otherThan(last)];
  return {
    sides: [
      { body, mac: flat(mac) },
      { body, mac: flat(newFirst + middle + newLast) },
    ],
    given: [flat(newFirst + middle + last), flat(first + middle + newLast)],
  };
}
