import type { IdempotencyStore } from '../../../src/stores/store.js';
import type { Process } from '../kernel/process.js';
import type { World } from '../kernel/world.js';
import { type OnCommand, RedisHost } from '../models/redis/host.js';
import { SimulatedIoRedis } from '../models/redis/ioredis.js';
import { Leases } from '../oracle/leases.js';
import type { Ledger } from '../oracle/ledger.js';
import { watchClient, watchServer } from '../oracle/watched-redis.js';
import type { Subject } from '../subject/load.js';

export interface SharedRedisTimes {
  readonly leaseMs: number;
  readonly timeoutMs: number;
  readonly handlerMs: number;
}

/** A Redis for the replicas of a world that is about something else, with the invariants of lease modes. */
export class SharedRedis {
  readonly leases: Leases;
  readonly #host: RedisHost;
  readonly #subject: Subject;
  readonly #times: SharedRedisTimes;

  constructor(world: World, subject: Subject, ledger: Ledger, times: SharedRedisTimes) {
    let onCommand: OnCommand = () => {};
    this.#host = new RedisHost(world, (...command) => onCommand(...command));
    this.leases = new Leases(world, ledger, { ...times, server: this.#host.server, pausesInSilence: true });
    onCommand = watchServer(this.leases);
    this.#subject = subject;
    this.#times = times;
  }

  /** The store of a process that starts. */
  store(process: Process): IdempotencyStore {
    const client = new SimulatedIoRedis(process, this.#host, { socketTimeout: 300, maxRetriesPerRequest: 20 });
    const { leaseMs, timeoutMs } = this.#times;
    return this.#subject.redisStore({ client: watchClient(this.leases, process, client), leaseMs, timeoutMs });
  }
}
