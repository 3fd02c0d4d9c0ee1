import type { Receiver } from '../../../src/receiver/receiver.js';
import type { IdempotencyStore } from '../../../src/stores/store.js';
import type { Process } from '../kernel/process.js';
import type { World } from '../kernel/world.js';
import type { Drains } from '../oracle/drains.js';

/** What a replica has in one life. */
interface Opened {
  receiver: Receiver | undefined;
  store?: Pick<IdempotencyStore<never>, 'unrecorded'>;
}

export interface Replica extends Opened {
  readonly process: Process;
}

/** The processes of a world that have a receiver. Those that are killed or drained start again. */
export class Replicas {
  readonly all: readonly Replica[];
  readonly #world: World;
  readonly #open: (process: Process) => Opened;

  /** @param open Creates what a replica has in a life. Called in its first turn. */
  constructor(world: World, names: readonly string[], open: (process: Process) => Opened) {
    this.all = names.map((name) => ({ process: world.process(name), receiver: undefined }));
    this.#world = world;
    this.#open = open;
  }

  get processes(): Process[] {
    return this.all.map(({ process }) => process);
  }

  readonly start = (process: Process): void => {
    const replica = this.all.find((each) => each.process === process) as Replica;
    replica.receiver = undefined;
    process.start(() => {
      Object.assign(replica, this.#open(process));
    });
  };

  startAll(): void {
    for (const process of this.processes) this.start(process);
  }

  kill({ process }: Pick<Replica, 'process'>, mostMs: number): void {
    if (process.state === 'down') return;
    process.crash();
    this.#startAfter(process, this.#world.choices.below(mostMs));
  }

  /** Drains one of them and ends it. */
  stop(drains: Drains): void {
    const { choices } = this.#world;
    const replica = choices.pick(this.all);
    const { process, receiver, store } = replica;
    if (process.state !== 'running' || !receiver) return;
    const ended = () => {
      replica.receiver = undefined;
      process.crash();
      this.#startAfter(process, 20);
    };
    drains.drain(process, receiver, choices.pick([1000, 50, 5000]), ended, store);
  }

  #startAfter(process: Process, ms: number): void {
    this.#world.after(ms, () => {
      if (process.state === 'down') this.start(process);
    });
  }
}
