import { blockOf, type GivenTransaction, type Mined, NO_PARENT } from './block.js';

/**
 * A chain that grows and re-organizes.
 *
 * It models which block is the child of which and which logs a block has. It leaves out consensus, gas, state and
 * signatures: its owner decides what is mined, replaced, put back and final.
 */
export class Chain {
  #blocks: readonly Mined[] = [];
  #seed = 0;
  /** Every block that was ever mined or put back, by hash. */
  readonly known = new Map<string, Mined>();

  /** @param second When block 0 was mined, in Unix seconds. */
  constructor(second?: number) {
    this.mine([], second);
  }

  /** The canonical blocks, from block 0 on. Never changed: a new array takes its place. */
  get blocks(): readonly Mined[] {
    return this.#blocks;
  }

  get height(): number {
    return this.#blocks.length - 1;
  }

  /** Adds a block at the head. */
  mine(transactions: readonly GivenTransaction[], second?: number): Mined {
    const parent = this.#blocks.at(-1)?.block.hash ?? NO_PARENT;
    const mined = blockOf(this.#blocks.length, parent, ++this.#seed, transactions, second);
    this.known.set(mined.block.hash, mined);
    this.#blocks = [...this.#blocks, mined];
    return mined;
  }

  /** Removes blocks from the head: the blocks that are mined next replace them. */
  drop(depth: number): void {
    this.#blocks = this.#blocks.slice(0, this.#blocks.length - depth);
  }

  /** Makes a branch canonical, such as one that a re-org replaced before. It starts at block 0. */
  putBack(branch: readonly Mined[]): void {
    for (const mined of branch) this.known.set(mined.block.hash, mined);
    this.#blocks = branch;
  }

  isCanonical({ number, block }: Mined): boolean {
    return this.#blocks[number]?.block.hash === block.hash;
  }
}
