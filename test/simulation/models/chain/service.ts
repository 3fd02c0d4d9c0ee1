import type { WebhookEvent } from '../../../../src/events/types.js';
import type { World } from '../../kernel/world.js';
import type { Sender } from '../sender.js';
import type { Mined } from './block.js';
import { type ChainNetwork, nameOf } from './network.js';
import type { Version } from './node.js';
import { eventOf } from './token.js';

export interface ServiceOptions {
  /** How long it sees the chain after the network. */
  readonly lagMs: number;
  /** How long a delivery may wait before it is sent for the first time. */
  readonly delayMs: number;
  /** One of so many events never arrives. (Default: all do.) */
  readonly losesOneIn?: number | undefined;
}

/**
 * The service: it sends the events of each new block at once, without waiting for anything to be final, and after a re-org
 * the notices that logs were removed, last first, then the events of the blocks that took their place. A block that is put
 * back is sent again, with new ids. It may send late, twice with two ids, and together with what else is late.
 */
export class ChainService {
  #seen: Version;
  #ids = 0;
  /** Deliveries that were not sent yet. */
  #waiting = 0;
  /** Events that are sent with the next delivery. */
  #late: WebhookEvent[] = [];

  constructor(
    private readonly world: World,
    private readonly network: ChainNetwork,
    private readonly sender: Sender,
    private readonly options: ServiceOptions,
  ) {
    this.#seen = network.version;
    network.follow(options.lagMs, (version) => this.#see(version));
  }

  /** Whether it has sent all that happened. */
  get isDone(): boolean {
    return this.#waiting === 0 && this.#seen.index === this.network.version.index;
  }

  #see(version: Version): void {
    if (version.index <= this.#seen.index) return;
    const [before, after] = [this.#seen.chain, version.chain];
    this.#seen = version;
    let same = 0;
    while (same < before.length && before[same] === after[same]) same++;
    for (const mined of before.slice(same).reverse()) this.#send(mined, true);
    for (const mined of after.slice(same)) this.#send(mined, false);
  }

  #send(mined: Mined, removed: boolean): void {
    const { choices } = this.world;
    const { delayMs, losesOneIn = 0 } = this.options;
    let indexes = mined.logs.map((_, index) => index).filter(() => losesOneIn === 0 || !choices.oneIn(losesOneIn));
    if (removed) indexes.reverse();
    while (indexes.length > 0) {
      const size = choices.oneIn(4) ? 1 : indexes.length;
      const batch = indexes.slice(0, size);
      indexes = indexes.slice(size);
      for (let times = choices.oneIn(8) ? 2 : 1; times > 0; times--) {
        const events = batch.map((index) => {
          const id = `${nameOf(mined)}#${index}${removed ? '-' : ''}/${++this.#ids}`;
          return eventOf(mined, index, id, removed);
        });
        this.#waiting++;
        this.world.after(choices.oneIn(4) ? choices.below(delayMs) : 0, () => {
          this.#waiting--;
          this.#late.push(...events);
          if (this.#waiting > 0 && choices.oneIn(6)) return;
          this.sender.send(this.#late);
          this.#late = [];
        });
      }
    }
  }
}
