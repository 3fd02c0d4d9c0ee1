import type { DeliveryResult } from '../../../src/handle/answer.js';
import type { World } from '../kernel/world.js';

/** What a database has committed. */
export interface Committed {
  /** Grows whenever something may have been committed. */
  commits(): number;
  /** The idempotency keys that are recorded. */
  recorded(): readonly string[];
  /** Those whose outcome is unknown: a handler ended their transaction. */
  unknown(): readonly string[];
  /** Those of the effects, with each as often as it took effect. */
  effects(): readonly string[];
}

/**
 * The invariants of transactional worlds, whose handlers write their effects in the transaction that records the key: each
 * key has one effect if it is recorded, at most one if its outcome is unknown, and none otherwise. What is acknowledged is
 * recorded.
 */
export class CommittedTogether {
  #commits = -1;
  #effects: readonly string[] = [];

  /** Checks after every step. */
  constructor(
    private readonly world: World,
    private readonly committed: Committed,
  ) {
    world.check(() => this.#check());
  }

  #check(): void {
    const commits = this.committed.commits();
    if (commits === this.#commits) return;
    this.#commits = commits;
    const [recorded, effects] = [this.committed.recorded(), [...this.committed.effects()]];
    const unknown = this.committed.unknown();
    if (effects.length !== this.#effects.length) this.world.history.add('database', 'has committed', { effects });
    this.#effects = effects;
    const seen = new Set<string>();
    for (const key of effects) {
      if (seen.has(key)) this.world.fail('effect twice', `${key} has taken effect twice.`);
      seen.add(key);
      if (!recorded.includes(key) && !unknown.includes(key))
        this.world.fail('effect without record', `${key} has an effect and no record.`);
    }
    for (const key of recorded) {
      if (!seen.has(key)) this.world.fail('record without effect', `${key} is recorded and has no effect.`);
    }
  }

  /** Checks an answer, in the turn in which the receiver gave it. `isKept`: a key that needs no effect. */
  answered({ status, outcomes }: DeliveryResult, isKept: (key: string) => boolean = () => false): void {
    this.#check();
    const unknown = this.committed.unknown();
    for (const { status: word, idempotencyKey = '', error } of outcomes) {
      if (isKept(idempotencyKey)) continue;
      const isAcknowledged = error === undefined && ['handled', 'duplicate', 'dead-lettered'].includes(word);
      if (status === 200 && !isAcknowledged) {
        this.world.fail('acknowledged without effect', `${idempotencyKey} is ${word} in an answer with 200.`);
      }
      if (isAcknowledged && unknown.includes(idempotencyKey)) {
        this.world.fail('acknowledged without effect', `${idempotencyKey} is ${word} and its outcome is unknown.`);
      }
      if (isAcknowledged && !this.#effects.includes(idempotencyKey)) {
        this.world.fail('acknowledged without effect', `${idempotencyKey} is ${word} and has no effect.`);
      }
    }
  }
}
