import type { DeliveryResult } from '../../../src/handle/answer.js';
import type { DeadLetterLimits } from '../../../src/handle/dead-letter.js';
import type { Receiver } from '../../../src/receiver/receiver.js';
import type { Process } from '../kernel/process.js';
import type { World } from '../kernel/world.js';
import type { Subject } from '../subject/load.js';

/** The keys of a store, as the server has them. */
export interface KeptKeys {
  /** Dead letters. */
  readonly dead: readonly string[];
  readonly discarded: ReadonlySet<string>;
  isDead(key: string): boolean;
  isRecorded(key: string): boolean;
}

type Replica = { readonly process: Process; readonly receiver: Receiver | undefined };

const MOST_LAST_RETRIES = 40;

/**
 * Operators who retry and discard dead letters, and what must hold of these: no key is both recorded and a dead letter; what
 * was acknowledged is one of the two from then on, or was discarded; and once handlers succeed, retries leave no letter, and none is
 * listed.
 */
export class Letters {
  /** `deadLetters` of the receivers. */
  readonly limits: DeadLetterLimits;
  readonly #world: World;
  readonly #keys: KeptKeys;
  /** Whether operators also discard. */
  readonly #discards: boolean;
  readonly #acknowledged = new Set<string>();
  #isListed = false;

  /** Checks after every step. */
  constructor(world: World, keys: KeptKeys, discards = false) {
    const { choices } = world;
    this.limits = { afterAttempts: choices.pick([1, 2, 3]), afterSeconds: choices.pick([0, 0, 1]) };
    this.#world = world;
    this.#keys = keys;
    this.#discards = discards;
    world.check(() => {
      for (const key of keys.dead) if (keys.isRecorded(key)) world.fail('effect and dead letter', key);
      for (const key of this.#acknowledged) {
        if (!keys.isRecorded(key) && !this.isKept(key)) world.fail('neither effect nor dead letter', key);
      }
    });
  }

  /** Whether a key needs no effect for now. */
  isKept(key: string): boolean {
    return this.#keys.isDead(key) || this.#keys.discarded.has(key);
  }

  get isOver(): boolean {
    return this.#keys.dead.length === 0;
  }

  answered({ status, outcomes }: DeliveryResult): void {
    for (const { idempotencyKey } of status === 200 ? outcomes : []) this.#acknowledged.add(idempotencyKey as string);
  }

  /** What a handler fails with, by choice for good. */
  failure({ NonRetryableError }: Subject, message: string): Error {
    return this.#world.choices.oneIn(4) ? new NonRetryableError(message) : new Error(message);
  }

  /** Plans retries, some by two operators at once, some by a process that is killed. */
  operate(replicas: readonly Replica[], horizonMs: number, kill: (replica: Replica) => void): void {
    const { choices } = this.#world;
    const later = (ms: number, act: (replica: Replica) => void) =>
      this.#world.after(choices.below(ms), () => act(choices.pick(replicas)));
    for (let times = 1 + choices.below(4); times > 0; times--) {
      later(horizonMs, (replica) => {
        this.retry(replica);
        if (choices.oneIn(2)) later(50, (other) => this.retry(other));
        if (choices.oneIn(4)) later(300, kill);
        if (this.#discards && choices.oneIn(4)) later(50, (other) => this.#discard(other));
      });
    }
  }

  /** Retries until nothing is left. Handlers must succeed by now. */
  async clear(replicas: readonly Replica[], everyMs: number): Promise<void> {
    const next = (retries: number) => {
      const [key] = this.#keys.dead;
      if (key === undefined) return;
      if (retries > MOST_LAST_RETRIES) this.#world.fail('never retried', `${key} is still a dead letter.`);
      for (const replica of replicas) this.retry(replica);
      this.#world.after(everyMs, () => next(retries + 1));
    };
    this.#world.after(0, () => next(0));
    await this.#world.run(() => this.isOver);
    this.#list(replicas);
    await this.#world.run(() => this.#isListed);
  }

  /** The list is as empty. */
  #list(replicas: readonly Replica[]): void {
    const { process, receiver } = replicas.find((replica) => replica.receiver) as Replica;
    process.deliver(0, () => {
      receiver?.deadLetters
        .list()
        .then(({ letters: [letter] }) => {
          if (letter) this.#world.fail('listed, and no dead letter', letter.idempotencyKey);
          this.#isListed = true;
        })
        .catch(() => this.#list(replicas));
    });
  }

  retry({ process, receiver }: Replica): void {
    const { history, choices } = this.#world;
    if (process.state === 'down' || !receiver) return;
    const which = choices.below(2) === 0 ? {} : [...this.#keys.dead];
    history.add(process.name, 'retries dead letters');
    process.deliver(0, () => {
      receiver.deadLetters
        .retry(which, {
          onResult: ({ idempotencyKey: key, status }) => {
            history.add(process.name, `has retried ${key}`, { status });
            if (status === 'handled' && !this.#keys.isRecorded(key)) this.#world.fail('retried without effect', key);
          },
        })
        .catch((error) => history.add(process.name, `cannot retry: ${error}`));
    });
  }

  #discard({ process, receiver }: Replica): void {
    const { history, choices } = this.#world;
    const { dead } = this.#keys;
    if (process.state === 'down' || !receiver || dead.length === 0) return;
    const key = choices.pick(dead);
    history.add(process.name, `discards ${key}`);
    process.deliver(0, () => void receiver.deadLetters.discard([key]).catch(() => {}));
  }
}
