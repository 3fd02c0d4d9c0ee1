import type { Hex } from '../evm/types.js';
import type { ChainReader } from './chain-reader.js';

/** Block 0 of the chain that is followed: it tells another chain behind the same address from a re-org of this one. */
export class Genesis {
  #hash: Hex | undefined;

  constructor(private readonly reader: ChainReader) {}

  /** The chain is from here on the one that the node has now. */
  async remember(): Promise<void> {
    this.#hash = await this.#look();
  }

  /**
   * Whether the node has another chain now, which it has to say twice; undefined when it says so and then does not. A
   * node that cannot give block 0 has the same chain as before.
   */
  async isAnother(): Promise<boolean | undefined> {
    if (this.#hash === undefined) return false;
    const theirs = await this.#look();
    if (theirs === undefined || theirs === this.#hash) return false;
    // The nodes behind one address may not agree.
    return (await this.#look()) === theirs || undefined;
  }

  /** Some nodes have dropped their first blocks, and say so in many ways. */
  async #look(): Promise<Hex | undefined> {
    return this.reader.header(0).then(
      (header) => header?.hash,
      () => undefined,
    );
  }
}
