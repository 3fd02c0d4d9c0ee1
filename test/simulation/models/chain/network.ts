import { EPOCH_MS } from '../../kernel/process.js';
import type { World } from '../../kernel/world.js';
import type { GivenTransaction, Mined } from './block.js';
import { Chain } from './chain.js';
import type { ChainNode, Version } from './node.js';

/** When a block is final, as src/chain takes it. */
export type Level = 'finalized' | 'safe' | { readonly confirmations: number };

interface Follower {
  readonly see: (version: Version) => void;
  readonly lagMs: number;
}

/**
 * A chain that its network agrees on, and that nodes see some time later, each after its lag. Re-orgs replace only blocks
 * that are not final yet at the level of the world. It leaves out nodes that follow a minority, and finality that fails.
 */
export class ChainNetwork {
  readonly chain = new Chain(EPOCH_MS / 1000 - 1);
  readonly #followers: Follower[] = [];
  #finalized = 0;
  #safe = 0;
  #highest = 0;
  #index = 0;
  #version: Version;
  /** The last block that is final at the level for any node so far. */
  shown = 0;

  constructor(
    private readonly world: World,
    private readonly level: Level,
  ) {
    this.#version = this.#next();
  }

  get version(): Version {
    return this.#version;
  }

  /** The last block that is final at the level: no re-org replaces it. */
  get finalNumber(): number {
    return this.#finalOf(this.#finalized, this.#safe, this.#highest);
  }

  /** The highest block that was ever mined. */
  get highest(): number {
    return this.#highest;
  }

  /** Whether it is known for good that a block is canonical, or is not. */
  isFinal({ number }: Mined): boolean {
    return number <= this.finalNumber;
  }

  /** Follows the chain with a node. */
  addNode(node: ChainNode, lagMs: number): void {
    node.onSee = ({ finalized, safe, chain }) => {
      this.shown = Math.max(this.shown, this.#finalOf(finalized, safe, chain.length - 1));
    };
    this.follow(lagMs, (version) => node.see(version));
  }

  /** Calls `see` with each version, in any order, some time later. */
  follow(lagMs: number, see: (version: Version) => void): void {
    this.#followers.push({ lagMs, see });
  }

  mine(...blocks: readonly (readonly GivenTransaction[])[]): void {
    const { chain } = this;
    for (const transactions of blocks) {
      const second = Math.floor((EPOCH_MS + this.world.now) / 1000);
      chain.mine(transactions, Math.max(second, (chain.blocks.at(-1)?.second ?? 0) + 1));
    }
    this.#publish(`mines ${blocks.length} blocks`);
  }

  /** How many blocks a re-org may replace. */
  get replaceable(): number {
    return Math.max(0, this.chain.height - this.finalNumber);
  }

  /** Replaces blocks at the head. */
  reorganize(depth: number, ...blocks: readonly (readonly GivenTransaction[])[]): void {
    if (depth > this.replaceable) throw new Error(`A re-org of ${depth} blocks replaces a final one.`);
    this.chain.drop(depth);
    this.world.history.add('chain', `replaces ${depth} blocks`);
    this.mine(...blocks);
  }

  /** Makes a branch canonical that was before. Returns false if it lacks a final block. */
  putBack(branch: readonly Mined[]): boolean {
    if (branch[this.finalNumber] !== this.chain.blocks[this.finalNumber]) return false;
    this.chain.putBack(branch);
    this.#publish('puts a branch back');
    return true;
  }

  /** The blocks up to a number become final, and those up to another one safe. */
  finalize(finalized: number, safe: number): void {
    const { height } = this.chain;
    this.#finalized = Math.max(this.#finalized, Math.min(finalized, height));
    this.#safe = Math.max(this.#finalized, this.#safe, Math.min(safe, height));
    this.#publish('finalizes');
  }

  #publish(what: string): void {
    const { height } = this.chain;
    this.#highest = Math.max(this.#highest, height);
    // A re-org also replaces blocks that were safe, where nothing depends on those.
    this.#safe = Math.min(this.#safe, height);
    this.#version = this.#next();
    const { choices, history } = this.world;
    history.add('chain', what, { head: nameOf(this.#version.chain.at(-1)), final: this.finalNumber });
    const version = this.#version;
    for (const { lagMs, see } of this.#followers) {
      this.world.after(lagMs + choices.latency(), () => see(version));
    }
  }

  #next(): Version {
    return { index: ++this.#index, chain: this.chain.blocks, finalized: this.#finalized, safe: this.#safe };
  }

  #finalOf(finalized: number, safe: number, head: number): number {
    if (this.level === 'finalized') return finalized;
    if (this.level === 'safe') return safe;
    return Math.max(0, head - this.level.confirmations + 1);
  }
}

/** Names a block for the history: its number, and which block it is in order of mining. */
export function nameOf(mined: Mined | undefined): string {
  return mined ? `${mined.number}.${mined.seed}` : 'nothing';
}
