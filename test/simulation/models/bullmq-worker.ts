import type { BullmqJobLike } from '../../../src/queues/bullmq/index.js';
import type { Process } from '../kernel/process.js';
import type { BullmqJob, BullmqModel, NextBullmqJob } from './bullmq.js';
import type { BullmqEngine } from './bullmq-engine.js';
import { retryOf } from './bullmq-retry.js';
import { Wire } from './wire.js';

// BullMQ's `Worker` in a simulated process: it gets jobs, renews their locks, looks for stalled ones, and settles each by how
// its processor ended. Its client sends commands again until they are answered.
// Left out: pausing, closing, sandboxes, rate limits, and the signal that a lost lock aborts.

export interface BullmqWorkerOptions {
  readonly concurrency: number;
  readonly lockDuration: number;
  readonly stalledInterval: number;
  readonly maxStalledCount: number;
  /** The longest time that an idle worker waits, in ms. */
  readonly drainDelayMs: number;
}

export type Processor = (job: BullmqJobLike, token: string) => Promise<unknown>;

/** BullMQ's error for a command that the engine refuses. */
class RefusedError extends Error {
  constructor(code: number, id: string) {
    super(`The engine refuses to settle job ${id} (${code}).`);
  }
}

export class BullmqWorker {
  readonly #engine: BullmqEngine;
  readonly #process: Process;
  readonly #processor: Processor;
  readonly #options: BullmqWorkerOptions;
  readonly #wire: Wire;
  readonly #blocking: Wire;
  readonly #name: string;
  /** The jobs whose locks it renews. */
  readonly #tracked = new Map<string, { readonly token: string; readonly renewedAt: number }>();
  #running = 0;
  #tokens = 0;
  #onRoom: (() => void) | undefined;

  constructor(engine: BullmqEngine, process: Process, processor: Processor, options: BullmqWorkerOptions) {
    this.#engine = engine;
    this.#process = process;
    this.#processor = processor;
    this.#options = options;
    this.#name = `${process.name}-${process.life}`;
    const silentMs = 2 * options.drainDelayMs;
    this.#wire = new Wire(process, engine.server, { resends: true, silentMs });
    this.#blocking = new Wire(process, engine.server, { resends: true, silentMs });
  }

  start(): void {
    void this.#checkStalled();
    this.#renewLocks();
    void this.#fetch();
  }

  async #fetch(): Promise<void> {
    const { concurrency, drainDelayMs } = this.#options;
    for (;;) {
      if (this.#running >= concurrency) await new Promise<void>((resolve) => (this.#onRoom = resolve));
      const token = `${this.#name}:${this.#tokens++}`;
      const { job, dueAt } = await this.#moveToActive(token);
      if (job) void this.#work(job, token);
      else {
        const ms = dueAt === undefined ? drainDelayMs : Math.min(Math.max(1, dueAt - this.#timestamp()), drainDelayMs);
        await this.#blocking.ask<void>((reply) => this.#engine.wait(ms, () => reply()));
      }
    }
  }

  /** Runs a job, and those that the engine gives it in return for settling the one before, with the same token. */
  async #work(first: BullmqJob, token: string): Promise<void> {
    this.#running++;
    let job: BullmqJob | undefined = first;
    while (job) job = await this.#try(job, token);
    this.#running--;
    this.#onRoom?.();
  }

  async #try(job: BullmqJob, token: string): Promise<BullmqJob | undefined> {
    this.#tracked.set(job.id, { token, renewedAt: this.#timestamp() });
    try {
      if (job.deferredFailure !== undefined) {
        return await this.#fail(job, token, unrecoverable(job.deferredFailure));
      }
      await this.#processor(this.#jobOf(job), token);
      return await this.#complete(job, token);
    } catch (error) {
      try {
        return await this.#fail(job, token, error as Error);
      } catch (refused) {
        // BullMQ emits `error`, and leaves the job to its new worker.
        if (!(refused instanceof RefusedError)) throw refused;
        this.#process.world.history.add(this.#process.name, `cannot settle job ${job.id}`, { error: refused });
        return undefined;
      }
    } finally {
      this.#tracked.delete(job.id);
    }
  }

  async #complete(job: BullmqJob, token: string): Promise<BullmqJob | undefined> {
    this.#tracked.delete(job.id);
    const [timestamp, next] = [this.#timestamp(), this.#lock(token)];
    const moved = await this.#call((model, now) => model.moveToCompleted(job.id, token, timestamp, now, next));
    return accepted(moved.code, job, moved);
  }

  async #fail(job: BullmqJob, token: string, error: Error): Promise<BullmqJob | undefined> {
    this.#tracked.delete(job.id);
    const { id } = job;
    const [timestamp, next] = [this.#timestamp(), this.#lock(token)];
    if (error.message === 'bullmq:rateLimitExceeded') {
      const code = await this.#call((model, now) => model.moveFromActiveToWait(id, token, now));
      return accepted(code, job);
    }
    if (['DelayedError', 'WaitingError', 'WaitingChildrenError'].includes(error.name)) {
      return (await this.#moveToActive(token)).job;
    }
    const retry = retryOf(job, error.name);
    const reason = error.message;
    const moved = await this.#call((model, now) => {
      if (retry.how === 'failed') return model.moveToFailed(id, token, reason, timestamp, now, next);
      if (retry.how === 'retry') return { code: model.retryJob(id, token, reason, timestamp, now) };
      return model.moveToDelayed(id, token, { delayMs: retry.delayMs, reason }, timestamp, now, next);
    });
    return accepted(moved.code, job, moved);
  }

  #jobOf(job: BullmqJob): BullmqJobLike {
    return Object.assign(
      {
        data: JSON.parse(job.data),
        moveToDelayed: async (until: number, token = '') => {
          const timestamp = this.#timestamp();
          const delay = { delayMs: Math.max(0, until - timestamp) };
          const { code } = await this.#call((model, now) => model.moveToDelayed(job.id, token, delay, timestamp, now));
          accepted(code, job);
        },
      },
      { id: job.id, queue: { opts: this.#options } },
    );
  }

  #renewLocks(): void {
    const { lockDuration } = this.#options;
    const every = lockDuration / 4;
    this.#process.setTimeout(async () => {
      const now = this.#timestamp();
      const due = [...this.#tracked].filter(([, { renewedAt }]) => renewedAt + every < now);
      if (due.length > 0) {
        for (const [id, { token }] of due) this.#tracked.set(id, { token, renewedAt: now });
        const ids = due.map(([id]) => id);
        const tokens = due.map(([, { token }]) => token);
        await this.#call((model, time) => model.extendLocks(ids, tokens, lockDuration, time));
      }
      this.#renewLocks();
    }, every);
  }

  async #checkStalled(): Promise<void> {
    const { stalledInterval, maxStalledCount } = this.#options;
    const stalled = await this.#call((model, now) =>
      model.moveStalledJobsToWait(maxStalledCount, stalledInterval, now),
    );
    for (const id of stalled) this.#process.world.history.add(this.#process.name, `finds job ${id} stalled`);
    this.#process.setTimeout(() => void this.#checkStalled(), stalledInterval);
  }

  async #moveToActive(token: string): Promise<NextBullmqJob> {
    const timestamp = this.#timestamp();
    return this.#call((model, now) => model.moveToActive(this.#lock(token), timestamp, now));
  }

  #lock(token: string) {
    return { token, lockMs: this.#options.lockDuration };
  }

  #call<T>(script: (model: BullmqModel, now: number) => T): Promise<T> {
    return this.#wire.call(() => this.#engine.run(script));
  }

  #timestamp(): number {
    return Math.floor(this.#process.wall());
  }
}

function accepted(code: number, { id }: BullmqJob, next?: NextBullmqJob): BullmqJob | undefined {
  if (code < 0) throw new RefusedError(code, id);
  return next?.job;
}

function unrecoverable(message: string): Error {
  return Object.assign(new Error(message), { name: 'UnrecoverableError' });
}
