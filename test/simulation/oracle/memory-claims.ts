import type { LeaseStore } from '../../../src/stores/store.js';
import type { Process } from '../kernel/process.js';
import type { World } from '../kernel/world.js';
import type { Ledger, Run } from './ledger.js';

/**
 * Holds a receiver to the leases of a store in memory. The handler begins in the turn of the claim, which may be frozen in
 * between: it begins only before the time of a handler is over, which ends before the lease, and while no other run of its key
 * is within its lease.
 */
export class MemoryClaims {
  readonly #world: World;
  readonly #ledger: Ledger;
  readonly #leaseMs: number;
  readonly #handlerMs: number;
  /** When each key was claimed last, at the earliest: the turn may be frozen in between. */
  readonly #claimed = new Map<string, number>();
  readonly #runs: { readonly run: Run; readonly claimedAt: number }[] = [];

  constructor(world: World, ledger: Ledger, { leaseMs, handlerMs }: { leaseMs: number; handlerMs: number }) {
    this.#world = world;
    this.#ledger = ledger;
    this.#leaseMs = leaseMs;
    this.#handlerMs = handlerMs;
  }

  /** The store of a process that starts. */
  watch(process: Process, store: LeaseStore): LeaseStore {
    return {
      ...store,
      claim: async (...call) => {
        const claimedAt = process.time;
        const answers = await store.claim(...call);
        for (const [key, answer] of answers) {
          if (typeof answer === 'object') this.#claimed.set(key, claimedAt);
        }
        return answers;
      },
    };
  }

  /** A handler begins. */
  began(run: Run, deadline: number): void {
    const { key, life, process } = run;
    const claimedAt = this.#claimed.get(key);
    if (claimedAt === undefined) this.#world.fail('began without a claim', `Nobody claimed ${key}.`);
    const ms = process.time - claimedAt;
    // The clock is compared in whole milliseconds.
    if (ms > this.#handlerMs + 2) {
      this.#world.fail('began after its lease', `${key} begins ${ms} ms after it was claimed.`);
    }
    const leftMs = claimedAt + this.#leaseMs - process.time;
    if (deadline - process.peek().wall > leftMs + 2) {
      this.#world.fail(
        'may outlive its lease',
        `${key} is handled until after its lease, of which ${leftMs} ms are left.`,
      );
    }
    for (const { run: other, claimedAt: before } of this.#runs) {
      const isWithin = other.key === key && process.time - before < this.#leaseMs - 2;
      if (!isWithin || other.life !== life || !this.#ledger.isRunning(other)) continue;
      this.#world.fail('overtaken within its lease', `The handler of ${key} still runs.`);
    }
    this.#runs.push({ run, claimedAt });
  }
}
