import type { World } from '../kernel/world.js';
import type { Mined } from '../models/chain/block.js';
import { type ChainNetwork, nameOf } from '../models/chain/network.js';
import type { Ledger } from './ledger.js';

/** What `reconcile` writes into its cursor, as far as it concerns what is missing. */
interface Stored {
  /** The first position that is not reconciled. */
  readonly next: number;
  /** Keys of events before it that did not take effect, with their positions. */
  readonly retry: readonly (readonly [key: string, position: number])[];
}

/** Holds `reconcile` to the chain's truth: nothing canonical is lost behind the cursor. */
export class ReconcileOracle {
  #next = 0;

  constructor(
    private readonly world: World,
    private readonly network: ChainNetwork,
    private readonly ledger: Ledger,
    private readonly chainId: number,
  ) {}

  /** Called with the text whenever the cursor was written. */
  written(text: string, who: string): void {
    const { next, retry } = JSON.parse(text) as Stored;
    this.world.history.add(who, 'writes the cursor', { next, retry: retry.length });
    if (next - 1 > this.network.shown) {
      this.world.fail('read too far', `The cursor is at ${next}, and no node has shown block ${next - 1} as final.`);
    }
    if (next < this.#next) this.world.fail('cursor went back', `It was at ${this.#next}, and is at ${next}.`);
    this.#next = next;
    const listed = new Set(retry.map(([key]) => key));
    for (const mined of this.network.chain.blocks.slice(0, next)) {
      const lost = this.#missing(mined).find((index) => !listed.has(this.#keyOf(mined, index)));
      if (lost !== undefined) {
        this.world.fail('missed', `The cursor is at ${next}, and ${nameOf(mined)}#${lost} has not taken effect.`);
      }
    }
  }

  /** Called when a run has ended: the next one starts after what it reports. */
  reported(to: number, who: string): void {
    if (to + 1 <= this.#next) return;
    this.world.fail('report beyond the cursor', `${who} reports all up to ${to}, and the cursor is at ${this.#next}.`);
  }

  /** The logs of a block that have not taken effect. */
  #missing(mined: Mined): number[] {
    const indexes = mined.logs.map((_, index) => index);
    return indexes.filter((index) => this.ledger.effectsOf(`${nameOf(mined)}#${index}`).length === 0);
  }

  #keyOf({ logs }: Mined, index: number): string {
    const log = logs[index];
    return `${this.chainId}:${log?.blockHash}:${log?.transactionHash}:${index}`;
  }

  /** After a run at the healed end that said nothing is left. */
  end(): void {
    const { blocks } = this.network.chain;
    for (const mined of blocks.slice(0, this.network.finalNumber + 1)) {
      const [index] = this.#missing(mined);
      if (index !== undefined) this.world.fail('missed', `${nameOf(mined)}#${index} has not taken effect.`);
    }
  }
}
