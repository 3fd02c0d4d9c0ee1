import { bytesToHex, type Hex, hexToBytes, keccak256 } from 'viem';

interface Emitted {
  readonly address: Hex;
  readonly topics: readonly Hex[];
}

const BYTES = 256;
const EMPTY: Hex = `0x${'0'.repeat(2 * BYTES)}`;
/** Simulated chains have few contracts and topics: hashing them for each block would take most of a schedule's time. */
const bits = new Map<Hex, readonly number[]>();
const filters = new Map<string, Hex>();

/** The bloom filter of a block, of the addresses and topics of its logs. */
export function bloomOf(logs: readonly Emitted[]): Hex {
  if (logs.length === 0) return EMPTY;
  const values = new Set(logs.flatMap(({ address, topics }) => [address, ...topics]));
  const key = [...values].sort().join();
  const known = filters.get(key);
  if (known !== undefined) return known;
  const bytes = new Uint8Array(BYTES);
  for (const value of values) {
    for (const bit of bitsOf(value))
      bytes[BYTES - 1 - (bit >> 3)] = (bytes[BYTES - 1 - (bit >> 3)] ?? 0) | (1 << (bit & 7));
  }
  const filter = bytesToHex(bytes);
  filters.set(key, filter);
  return filter;
}

/** The three bits of a value, counted from the last one. */
export function bitsOf(value: Hex): readonly number[] {
  const known = bits.get(value);
  if (known) return known;
  const hash = keccak256(hexToBytes(value), 'bytes');
  const found = [0, 2, 4].map((at) => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047);
  bits.set(value, found);
  return found;
}
