import type { IdempotencyStore } from '../../../src/stores/store.js';
import type { Process } from '../kernel/process.js';
import type { World } from '../kernel/world.js';
import type { Ledger, Run } from './ledger.js';

/** When a key was claimed, at the earliest and at the latest: the turn may be frozen in between. */
interface Claimed {
  readonly from: number;
  readonly to: number;
}

/**
 * Holds a store in memory to its lease. It claims a key before it calls its run, and the handler begins in the same turn,
 * which may be frozen in between: it begins only if the lease leaves it its time, and while no other run of its key is within
 * its lease.
 */
export class MemoryClaims {
  readonly #world: World;
  readonly #ledger: Ledger;
  readonly #leaseMs: number;
  readonly #handlerMs: number;
  /** The last claim of each key. */
  readonly #claimed = new Map<string, Claimed>();
  readonly #runs: { readonly run: Run; readonly claimed: Claimed }[] = [];

  constructor(world: World, ledger: Ledger, { leaseMs, handlerMs }: { leaseMs: number; handlerMs: number }) {
    this.#world = world;
    this.#ledger = ledger;
    this.#leaseMs = leaseMs;
    this.#handlerMs = handlerMs;
  }

  /** The store of a process that starts. */
  watch(process: Process, store: IdempotencyStore): IdempotencyStore {
    const claimed = (key: string, from: number) => this.#claimed.set(key, { from, to: process.time });
    const { onceEach } = store;
    return {
      ...store,
      once: (key, run) => {
        const from = process.time;
        return store.once(key, (...given) => {
          claimed(key, from);
          return run(...given);
        });
      },
      ...(onceEach && {
        onceEach: (keys, run) => {
          const from = process.time;
          return onceEach.call(store, keys, (fresh, ...given) => {
            for (const key of fresh) claimed(key, from);
            return run(fresh, ...given);
          });
        },
      }),
    };
  }

  /** A handler begins. */
  began(run: Run): void {
    const { key, life, process } = run;
    const claimed = this.#claimed.get(key);
    if (!claimed) this.#world.fail('began without a claim', `Nobody claimed ${key}.`);
    const ms = process.time - claimed.to;
    // The clock is compared in whole milliseconds.
    if (ms > this.#leaseMs - this.#handlerMs + 2) {
      this.#world.fail('began after its lease', `${key} begins ${ms} ms after it was claimed.`);
    }
    for (const { run: other, claimed: before } of this.#runs) {
      const isWithin = other.key === key && process.time - before.from < this.#leaseMs - 2;
      if (!isWithin || other.life !== life || !this.#ledger.isRunning(other)) continue;
      this.#world.fail('overtaken within its lease', `The handler of ${key} still runs.`);
    }
    this.#runs.push({ run, claimed });
  }
}
