import type { WebhookEvent } from '../../../src/events/types.js';
import type { DeliveryResult } from '../../../src/handle/answer.js';
import type { World } from '../kernel/world.js';
import type { Mined } from '../models/chain/block.js';
import { type About, aboutOf } from '../models/chain/event-name.js';
import { type ChainNetwork, nameOf } from '../models/chain/network.js';
import type { Ledger, Run } from './ledger.js';

/**
 * Holds `finality` to the chain's truth. As no final block is ever replaced, an event may be handled only when a node has
 * shown its block as final, a removal never, and an event is dropped only when another block is final in place of its block.
 */
export class FinalityOracle {
  readonly #abouts = new Map<string, About>();

  constructor(
    private readonly world: World,
    private readonly network: ChainNetwork,
    private readonly ledger: Ledger,
  ) {}

  #about(event: WebhookEvent): About {
    return aboutOf(event, this.network.chain);
  }

  /** Names the log of an event, and its removal. */
  readonly nameOf = (event: WebhookEvent): string => {
    const about = this.#about(event);
    const name = about.isRemoval ? `${about.name} removed` : about.name;
    this.#abouts.set(name, about);
    return name;
  };

  #isCanonical(mined: Mined): boolean {
    return this.network.chain.isCanonical(mined);
  }

  /** Whether any node has shown the number as final. */
  #isShown({ number }: Mined): boolean {
    return number <= this.network.shown;
  }

  /** Called when a handler begins. */
  readonly began = ({ id }: Run): void => {
    const { mined, name, isRemoval } = this.#abouts.get(id) as About;
    if (isRemoval) this.world.fail('handled too early', `The removal of ${name} is handled, which never was final.`);
    if (!this.#isShown(mined) || !this.#isCanonical(mined)) {
      this.world.fail('handled too early', `${name} is handled, and no node has shown its block as final.`);
    }
  };

  /** Called for `onDropped`. */
  dropped(event: WebhookEvent): void {
    const { mined, name, isRemoval } = this.#about(event);
    this.world.history.add('app', `drops ${this.nameOf(event)}`);
    if (isRemoval || !this.#isReplaced(mined)) {
      this.world.fail('dropped wrongly', `${name} is dropped, and no other block is final in place of its block.`);
    }
  }

  #isReplaced(mined: Mined): boolean {
    return this.#isShown(mined) && !this.#isCanonical(mined);
  }

  /** Called for each answer. */
  answered(events: readonly WebhookEvent[], { status, outcomes }: DeliveryResult): void {
    if (status !== 200) return;
    for (const [at, event] of events.entries()) {
      const { mined, name, isRemoval } = this.#about(event);
      const hasEffect = this.ledger.effectsOf(name).length > 0;
      if (outcomes[at]?.status !== 'dropped') {
        if (isRemoval || !hasEffect) {
          this.world.fail('acknowledged without effect', `${this.nameOf(event)} has not taken effect.`);
        }
      } else if (isRemoval ? hasEffect && !this.#isCanonical(mined) : !this.#isReplaced(mined)) {
        this.world.fail('dropped wrongly', `${this.nameOf(event)} is acknowledged as dropped.`);
      }
    }
  }

  /** At the healed end: every block is final. */
  end(pending: number): void {
    if (pending > 0) this.world.fail('never took effect', `${pending} deliveries were never acknowledged.`);
    for (const mined of this.network.chain.known.values()) {
      for (const index of mined.logs.keys()) {
        const name = `${nameOf(mined)}#${index}`;
        const isEffective = this.ledger.effectsOf(name).length > 0;
        const isCanonical = this.#isCanonical(mined);
        if (isEffective && !isCanonical) this.world.fail('effect of a log that is not canonical', name);
        if (!isEffective && isCanonical) this.world.fail('missed', `${name} has not taken effect.`);
      }
    }
  }
}
