import type { DeliveryResult } from '../../../src/receiver/answer.js';
import type { World } from '../kernel/world.js';

/** What a database has committed, as the idempotency keys that are recorded, and those of the effects. */
export interface Committed {
  readonly recorded: readonly string[];
  readonly effects: readonly string[];
}

/**
 * The invariants of transactional worlds, whose handlers write their effects in the transaction that records the key: each
 * key has one effect if it is recorded, and none otherwise, and what is acknowledged is recorded.
 */
export class CommittedTogether {
  readonly #world: World;
  readonly #read: () => Committed;
  #last: Committed = { recorded: [], effects: [] };

  constructor(world: World, read: () => Committed) {
    this.#world = world;
    this.#read = read;
  }

  /** Checks the rows: after a step in which some may have been committed. */
  check(): void {
    const { recorded, effects } = this.#read();
    if (recorded.length !== this.#last.recorded.length || effects.length !== this.#last.effects.length) {
      this.#world.history.add('database', 'has committed', { recorded, effects });
    }
    this.#last = { recorded, effects };
    const seen = new Set<string>();
    for (const key of effects) {
      if (seen.has(key)) this.#world.fail('effect twice', `${key} has taken effect twice.`);
      seen.add(key);
      if (!recorded.includes(key)) this.#world.fail('effect without record', `${key} has an effect and no record.`);
    }
    for (const key of recorded) {
      if (!seen.has(key)) this.#world.fail('record without effect', `${key} is recorded and has no effect.`);
    }
  }

  /** Checks an answer, in the turn in which the receiver gave it. */
  answered({ status, outcomes }: DeliveryResult): void {
    this.check();
    for (const { status: word, idempotencyKey = '', error } of outcomes) {
      const isAcknowledged = error === undefined && (word === 'handled' || word === 'duplicate');
      if (status === 200 && !isAcknowledged) {
        this.#world.fail('acknowledged without effect', `${idempotencyKey} is ${word} in an answer with 200.`);
      }
      if (isAcknowledged && !this.#last.effects.includes(idempotencyKey)) {
        this.#world.fail('acknowledged without effect', `${idempotencyKey} is ${word} and has no effect.`);
      }
    }
  }
}
