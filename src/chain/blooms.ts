import { bytesOf } from '../evm/hex.js';
import { keccak256 } from '../evm/keccak.js';
import type { Hex } from '../evm/types.js';
import type { Watched } from './watched.js';

/** What of a log is in the bloom filter of its block. */
export interface Emitted {
  readonly address: Hex;
  readonly topics: readonly Hex[];
}

/** 2048 bits. Some chains have no bloom filters. */
const BLOOM = /^0x[\da-f]{512}$/i;
const ONES = (1n << 2048n) - 1n;

/**
 * Says which contracts may have logs in a block, by the bloom filter of its header. Some chains write zeros or ones, or stop
 * writing filters: a filter counts once another one was seen to contain the logs of its block, and as long as all did.
 */
export class Blooms {
  /** For each watched contract, the bits of its address with those of each of its events. */
  readonly #wanted: ReadonlyMap<string, readonly bigint[]>;
  readonly #known = new Map<Hex, bigint>();
  #state: 'unseen' | 'held' | 'broken' = 'unseen';
  /** Whether zeros, too, were seen to hold for a block with transactions, or nothing else can be had. */
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

  /** Whether the logs of a block could still show what its filter is worth. */
  isOpen(bloom: string): boolean {
    return this.#state === 'unseen' || (this.#state === 'held' && !this.trustsZeros && readBits(bloom) === 0n);
  }

  /** Whether filters contained the logs of their blocks, as far as these were seen. */
  get isHeld(): boolean {
    return this.#state === 'held';
  }

  /** Whether a filter did not contain a log of its block. */
  get isBroken(): boolean {
    return this.#state === 'broken';
  }

  /** Stops using filters. */
  breakOff(): void {
    this.#state = 'broken';
  }

  /** Takes logs of a block as a test of its filter. */
  test(bloom: string, logs: readonly Emitted[]): void {
    if (logs.length === 0 || this.isBroken) return;
    const bits = readBits(bloom) ?? 0n;
    const isIn = ({ address, topics }: Emitted) => contains(bits, this.#bitsOf([address, ...topics.slice(0, 1)]));
    this.#state = bits !== ONES && logs.every(isIn) ? 'held' : 'broken';
  }

  /** The watched contracts that may have logs in the block, whatever the filter is worth. */
  hits(bloom: string): string[] {
    const bits = readBits(bloom) ?? 0n;
    return [...this.#wanted].filter(([, wanted]) => wanted.some((each) => contains(bits, each))).map(([key]) => key);
  }

  /** Whether a block with the filter has no logs of watched contracts but those of its hits. */
  excludes(bloom: string): boolean {
    return this.#state === 'held' && (!isConstant(bloom) || (this.trustsZeros && readBits(bloom) === 0n));
  }

  /** Whether a block's filter says nothing. */
  isUseless(bloom: string): boolean {
    return this.isBroken || isConstant(bloom);
  }

  /** Whether the logs are all that the filter was made of. */
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
