import { bytesOf } from '../evm/hex.js';
import { keccak256 } from '../evm/keccak.js';
import type { Hex } from '../evm/types.js';
import type { Watched } from './watched.js';

/** The fields of a log that its block's bloom filter contains. */
export interface Emitted {
  readonly address: Hex;
  readonly topics: readonly Hex[];
}

/** 2048 bits. Some chains have no bloom filters. */
const BLOOM = /^0x[\da-f]{512}$/i;
const ONES = (1n << 2048n) - 1n;

/**
 * Uses the bloom filter in a block's header to tell which contracts may have logs in the block. Some chains fill
 * filters with zeros or ones, or stop writing them. Filters are used after one has contained the logs of its block,
 * until one lacks a log.
 */
export class Blooms {
  /** For each watched contract, the bits of its address and of each of its events. */
  readonly #wanted: ReadonlyMap<string, readonly bigint[]>;
  readonly #known = new Map<Hex, bigint>();
  /** Whether every filter checked so far contained the logs of its block; `broken` filters are no longer used. */
  state: 'unseen' | 'held' | 'broken' = 'unseen';
  /**
   * Whether an empty filter is trusted: one was correct for a block with transactions, or there is no other evidence.
   */
  trustsZeros = false;

  constructor({ contracts }: Watched) {
    const know = (value: Hex) => {
      this.#known.set(value, bitsOf(value));
      return this.#bits(value);
    };
    this.#wanted = new Map(
      [...contracts].map(([address, { abi }]) => {
        const own = know(address as Hex);
        return [address, abi.topics?.map((topic) => own | know(topic)) ?? [own]];
      }),
    );
  }

  /** Whether it is still unknown if such a filter is reliable, so that the logs of a block would help. */
  isOpen(bloom: string): boolean {
    return this.state === 'unseen' || (this.state === 'held' && !this.trustsZeros && readBits(bloom) === 0n);
  }

  /** Tests a block's filter against its logs. */
  test(bloom: string, logs: readonly Emitted[]): void {
    if (logs.length === 0 || this.state === 'broken') return;
    const bits = readBits(bloom) ?? 0n;
    const isIn = ({ address, topics }: Emitted) => contains(bits, this.#bitsOf([address, ...topics.slice(0, 1)]));
    this.state = bits !== ONES && logs.every(isIn) ? 'held' : 'broken';
  }

  /** The watched contracts that may have logs in the block according to its filter, reliable or not. */
  hits(bloom: string): string[] {
    const bits = readBits(bloom) ?? 0n;
    return [...this.#wanted].filter(([, wanted]) => wanted.some((each) => contains(bits, each))).map(([key]) => key);
  }

  /** Whether the filter proves that only `hits` have logs in the block. */
  excludes(bloom: string): boolean {
    return this.state === 'held' && (!isConstant(bloom) || (this.trustsZeros && readBits(bloom) === 0n));
  }

  /** Whether a block's filter carries no information. */
  isUseless(bloom: string): boolean {
    return this.state === 'broken' || isConstant(bloom);
  }

  /** Whether the filter contains nothing beyond these logs. */
  isOf(bloom: string, logs: readonly Emitted[]): boolean {
    return readBits(bloom) === this.#bitsOf(logs.flatMap(({ address, topics }) => [address, ...topics]));
  }

  #bitsOf(values: readonly Hex[]): bigint {
    return values.reduce((bits, value) => bits | this.#bits(value), 0n);
  }

  #bits(value: Hex): bigint {
    return this.#known.get(value) ?? bitsOf(value);
  }
}

/** The three bits that a value sets. */
function bitsOf(value: Hex): bigint {
  const hash = keccak256(bytesOf(value));
  return [0, 2, 4].reduce((bits, at) => {
    const bit = (((hash[at] as number) << 8) | (hash[at + 1] as number)) & 2047;
    return bits | (1n << BigInt(bit));
  }, 0n);
}

function readBits(bloom: string): bigint | undefined {
  return BLOOM.test(bloom) ? BigInt(bloom) : undefined;
}

function contains(bits: bigint, some: bigint): boolean {
  return (bits & some) === some;
}

/** Whether a filter is absent, or contains nothing or everything. */
function isConstant(bloom: string): boolean {
  const bits = readBits(bloom) ?? 0n;
  return bits === 0n || bits === ONES;
}
