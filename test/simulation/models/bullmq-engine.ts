import type { BullmqJobInsert, BullmqQueueLike } from '../../../src/queues/bullmq/index.js';
import type { Process } from '../kernel/process.js';
import type { Server } from '../kernel/server.js';
import { BullmqModel } from './bullmq.js';
import { Wire } from './wire.js';

/** A Redis with a BullMQ queue, as clients reach it: a worker that found no job is told when there may be one. */
export class BullmqEngine {
  readonly server: Server;
  readonly model = new BullmqModel();
  /** How many it has run. */
  scripts = 0;
  #waiters: (() => void)[] = [];

  constructor(server: Server) {
    this.server = server;
  }

  /** Runs a script, by the clock of the server. */
  run<T>(script: (model: BullmqModel, now: number) => T): T {
    this.scripts++;
    const result = script(this.model, Math.floor(this.server.wall()));
    if (this.#waiters.length > 0 && this.model.hasWaiting) {
      const waiters = this.#waiters;
      this.#waiters = [];
      for (const tell of waiters) tell();
    }
    return result;
  }

  /** Calls `tell` when a job is waiting, or after `ms`. */
  wait(ms: number, tell: () => void): void {
    let isOver = false;
    const once = () => {
      if (!isOver) tell();
      isOver = true;
    };
    if (this.model.hasWaiting) once();
    else {
      this.#waiters.push(once);
      this.server.world.after(ms, once);
    }
  }
}

/** When a client gives a silent connection up. */
const SILENT_MS = 1500;

/** BullMQ's `Queue` in a process that adds jobs, on a client with `maxRetriesPerRequest`. */
export function bullmqQueue(engine: BullmqEngine, process: Process): BullmqQueueLike {
  const wire = new Wire(process, engine.server, { resends: false, silentMs: SILENT_MS });
  return {
    defaultJobOptions: undefined,
    async addBulk(jobs: BullmqJobInsert[]) {
      // ioredis sends it once more. A MULTI that took effect is then repeated, which changes nothing.
      const add = () => wire.call(() => engine.run((model) => model.addBulk(jobs)));
      return add().catch(add);
    },
  };
}
