import type { IdempotencyStore } from '../../../src/stores/store.js';
import type { Process } from '../kernel/process.js';
import type { World } from '../kernel/world.js';
import { Leases } from '../oracle/leases.js';
import type { Ledger } from '../oracle/ledger.js';
import { WatchedRedis } from '../oracle/watched-redis.js';
import type { Subject } from '../subject/load.js';

export interface SharedRedisTimes {
  readonly leaseMs: number;
  readonly timeoutMs: number;
  readonly handlerMs: number;
}

/** A Redis for the replicas of a world that is about something else, with the invariants of lease modes. */
export class SharedRedis {
  readonly leases: Leases;
  readonly #redis: WatchedRedis;
  readonly #subject: Subject;
  readonly #times: SharedRedisTimes;

  constructor(world: World, subject: Subject, ledger: Ledger, times: SharedRedisTimes) {
    const server = world.server('redis');
    this.#redis = new WatchedRedis(server);
    this.leases = new Leases(world, ledger, { ...times, server, pausesInSilence: true });
    this.#subject = subject;
    this.#times = times;
  }

  /** The store of a process that starts. */
  store(process: Process): IdempotencyStore {
    const { leaseMs, timeoutMs } = this.#times;
    return this.#subject.redisStore({ client: this.#redis.client(process, this.leases, true), leaseMs, timeoutMs });
  }
}
