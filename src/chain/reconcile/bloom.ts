import { bytesOf } from '../../evm/hex.js';
import { keccak256 } from '../../evm/keccak.js';
import type { Hex } from '../../evm/types.js';

/** The three bits of a block's bloom filter that a log of an address sets. */
type Bits = readonly { readonly digit: number; readonly mask: number }[];

/** Length of a bloom filter of 2048 bits as hex text. */
const LENGTH = 2 + 2048 / 4;

/** Says which addresses may have logs in a block, by the bloom filter of its header. */
export class BloomTest {
  readonly #bits: ReadonlyMap<Hex, Bits>;

  constructor(addresses: Iterable<Hex>) {
    this.#bits = new Map([...addresses].map((address) => [address, bitsOf(address)]));
  }

  /** The addresses that may have a log in the block; undefined for text that is not a bloom filter. */
  matches(bloom: string): Hex[] | undefined {
    if (bloom.length !== LENGTH) return undefined;
    return [...this.#bits].filter(([, bits]) => isSet(bloom, bits)).map(([address]) => address);
  }
}

function bitsOf(address: Hex): Bits {
  const hash = keccak256(bytesOf(address));
  return [0, 2, 4].map((at) => {
    const bit = (((hash[at] as number) << 8) | (hash[at + 1] as number)) & 2047;
    // Bit 0 is in the last digit.
    return { digit: LENGTH - 1 - (bit >> 2), mask: 1 << (bit & 3) };
  });
}

function isSet(bloom: string, bits: Bits): boolean {
  return bits.every(({ digit, mask }) => (Number.parseInt(bloom.charAt(digit), 16) & mask) !== 0);
}
