import { keccak256 } from './keccak.js';

/** Hashing costs more than the rest of a decoded address. Two generations of this many addresses take about 2 MB. */
const GENERATION = 4096;

let young = new Map<string, string>();
let old = young;

const DIGITS = 40;
const ascii = new Uint8Array(DIGITS);

/**
 * The address with its checksum (EIP-55), from its 40 hex digits in lower case.
 */
export function checksumAddress(digits: string): string {
  const known = young.get(digits) ?? old.get(digits);
  const address = known ?? withChecksum(digits);
  if (known === undefined || !young.has(digits)) {
    if (young.size >= GENERATION) [old, young] = [young, new Map()];
    // A copied key: a slice would keep the whole data in memory.
    young.set(address.slice(2).toLowerCase(), address);
  }
  return address;
}

function withChecksum(digits: string): string {
  for (let at = 0; at < DIGITS; at++) ascii[at] = digits.charCodeAt(at);
  const hash = keccak256(ascii);
  for (let at = 0; at < DIGITS; at++) {
    const nibble = ((hash[at >> 1] as number) >> (at % 2 === 0 ? 4 : 0)) & 15;
    // Letters of a high nibble become upper case.
    if ((ascii[at] as number) > 57 && nibble > 7) (ascii[at] as number) -= 32;
  }
  return `0x${String.fromCharCode(...ascii)}`;
}
