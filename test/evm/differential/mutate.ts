import type { Hex } from 'viem';
import type { Random } from '../../chaos/random.js';

const DIGITS = 64;
const MAX = 2n ** 256n - 1n;

/** An encoding that was damaged as by an accident, or changed as by an attacker. */
export function mutate(random: Random, encoded: Hex): Hex {
  let digits = encoded.slice(2);
  for (let left = random.pick([1, 1, 1, 2, 3]); left > 0; left--) digits = mutateOnce(random, digits);
  return `0x${digits}`;
}

function mutateOnce(random: Random, digits: string): string {
  const bytes = digits.length / 2;
  const words = Math.floor(bytes / 32);
  const at = 2 * random.int(0, Math.max(bytes - 1, 0));
  const word = DIGITS * random.int(0, Math.max(words - 1, 0));
  switch (random.int(0, 5)) {
    case 0:
      return digits.slice(0, at);
    case 1:
      return digits + random.hex(2 * random.pick([1, 31, 32, 64]));
    case 2:
      return digits.slice(0, at) + random.hex(2) + digits.slice(at + 2);
    case 3: {
      const other = DIGITS * random.int(0, Math.max(words - 1, 0));
      return digits.slice(0, word) + digits.slice(other, other + DIGITS) + digits.slice(word + DIGITS);
    }
    default:
      return digits.slice(0, word) + hostileWord(random, BigInt(bytes)) + digits.slice(word + DIGITS);
  }
}

const wordOf = (number: bigint) => BigInt.asUintN(256, number).toString(16).padStart(DIGITS, '0');

/** A uint256[][] of which all elements are one list, up to 24 times. */
export function repeating(random: Random): Hex {
  const [lists, numbers] = [random.int(1, 24), random.int(1, 24)];
  const list = wordOf(BigInt(numbers)) + random.hex(DIGITS * numbers);
  return `0x${wordOf(32n)}${wordOf(BigInt(lists))}${wordOf(32n * BigInt(lists)).repeat(lists)}${list}`;
}

/** An offset, a length or a value that is wrong or just right. */
function hostileWord(random: Random, bytes: bigint): string {
  const inside = BigInt(random.int(0, Number(bytes)));
  const place = 32n * BigInt(random.int(0, Number(bytes) / 32));
  const numbers = [place, place, place, inside, bytes, bytes - 32n, bytes - 31n, 0n, 1n, 2n, 3n, 0xffn, 0x100n];
  const huge = [2n ** 31n, 2n ** 32n, 2n ** 48n, 2n ** 53n, 2n ** 64n, 2n ** 160n, 2n ** 255n, MAX, MAX - 31n];
  return wordOf(random.pick(random.chance(0.7) ? numbers : huge));
}
