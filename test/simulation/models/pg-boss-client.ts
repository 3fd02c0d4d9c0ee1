import type { PgBossJobLike, PgBossLike } from '../../../src/queues/pg-boss/index.js';
import type { Process } from '../kernel/process.js';
import type { Server } from '../kernel/server.js';
import type { Claim, PgBossInsert, PgBossJob, PgBossModel } from './pg-boss.js';
import { Wire } from './wire.js';

// A `PgBoss` of version 10 or 12 in a simulated process: a pool of connections whose statements are rejected when their
// connection breaks, the loop of `work`, and the supervision that expires and archives jobs.
// As in pg-boss: version 10 polls on after a failed fetch, and does not await the settling of a batch, whose failure ends the
// process; version 12 settles only the try that it fetched, and waits for a handler that took too long.

export type Batch = (jobs: readonly PgBossJobLike[]) => Promise<void>;

export interface WorkOptions {
  readonly batchSize: number;
  readonly pollingMs: number;
}

interface Options {
  readonly server: Server;
  readonly model: PgBossModel;
  /** The size of the pool. */
  readonly connections: number;
  /** Called for a rejection that nobody handles. */
  readonly onUnhandled: () => void;
  /** Called for each statement that the server runs. */
  readonly onStatement: () => void;
}

const SILENT_MS = 1500;

export class PgBossClient {
  readonly #process: Process;
  readonly #options: Options;
  readonly #pool: readonly Wire[];

  constructor(process: Process, options: Options) {
    this.#process = process;
    this.#options = options;
    const wire = () => new Wire(process, options.server, { resends: false, silentMs: SILENT_MS });
    this.#pool = Array.from({ length: options.connections }, wire);
  }

  /** What the user passes to the enqueue and the worker: the methods of its version. */
  boss(): PgBossLike {
    const getQueue = (name: string) => this.#query((model) => model.getQueue(name) ?? null);
    const complete = (name: string, id: string) =>
      this.#query((model, now) => this.#note('completes', [{ id }], model.complete(name, [{ id }], now)));
    const find = (name: string, id: string) => this.#query((model) => model.job(name, id));
    if (this.#options.model.version === 12) {
      return {
        getQueue,
        complete,
        insert: (name: string, jobs: PgBossInsert[]) => this.#query((model, now) => model.insert(name, jobs, now)),
        findJobs: async (name: string, { id }: { id: string }) => {
          const job = await find(name, id);
          return job === undefined ? [] : [job];
        },
      };
    }
    return {
      getQueue,
      complete,
      insert: (jobs: (PgBossInsert & { name: string })[]) =>
        this.#query((model, now) => {
          for (const job of jobs) model.insert(job.name, [job], now);
          return null;
        }),
      getJobById: async (name, id, { includeArchive }) => {
        const job = await find(name, id);
        if (job !== undefined || !includeArchive) return job ?? null;
        return (await this.#query((model) => model.archived(name, id))) ?? null;
      },
    };
  }

  /** `boss.work`. */
  async work(name: string, handler: Batch, { batchSize, pollingMs }: WorkOptions): Promise<void> {
    for (;;) {
      const began = this.#process.wall();
      try {
        const jobs = await this.#query((model, now) => {
          const given = model.fetch(name, batchSize, now);
          this.#note('gives', given, given.length);
          return given;
        });
        if (jobs.length > 0) await this.#run(name, jobs, handler);
      } catch (error) {
        // Version 10 hides it, and version 12 emits it.
        this.#process.world.history.add(this.#process.name, 'pg-boss emits an error', { error });
      }
      const rest = pollingMs - (this.#process.wall() - began);
      if (rest > 100) await this.#sleep(rest);
    }
  }

  /** Expires and archives jobs from time to time. */
  async supervise(intervalMs: number): Promise<void> {
    for (;;) {
      await this.#sleep(intervalMs);
      try {
        await this.#query((model, now) => this.#note('expires', [], model.expire(now)));
        await this.#query((model, now) => {
          model.archive(now);
          model.drop(now);
        });
      } catch (error) {
        this.#process.world.history.add(this.#process.name, 'pg-boss emits an error', { error });
      }
    }
  }

  async #run(name: string, jobs: readonly PgBossJob[], handler: Batch): Promise<void> {
    const is12 = this.#options.model.version === 12;
    const claims = jobs.map<Claim>(({ id, retryCount }) => (is12 ? { id, retryCount } : { id }));
    const seconds = Math.max(1, ...jobs.map(({ expireInSeconds }) => expireInSeconds));
    const given = jobs.map<PgBossJobLike>(({ id, data, expireInSeconds }) => ({
      ...{ id, name, data: JSON.parse(data), expireInSeconds },
    }));
    const handling = handler(given);
    const completed = () =>
      this.#query((model, now) => this.#note('completes', claims, model.complete(name, claims, now)));
    const failed = (error: unknown) =>
      this.#query((model, now) => this.#note('fails', claims, model.fail(name, claims, (error as Error).message, now)));
    try {
      await this.#within(handling, seconds);
      if (is12) await completed();
      else completed().catch(this.#options.onUnhandled);
    } catch (error) {
      if (is12) {
        await failed(error);
        await handling.catch(() => {});
      } else failed(error).catch(this.#options.onUnhandled);
    }
  }

  /** Tells the history what the server did for this process. */
  #note(what: string, claims: readonly Claim[], count: number): number {
    const { name, world } = this.#process;
    const ids = claims.map(({ id }) => id).join(' ');
    if (count > 0) world.history.add(this.#options.server.name, `${what} ${count} jobs for ${name}`, { ids });
    return count;
  }

  #within(handling: Promise<void>, seconds: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = () => reject(new Error(`handler execution exceeded ${seconds}s`));
      const timer = this.#process.setTimeout(late, seconds * 1000);
      handling.then(resolve, reject).finally(() => timer.clear());
    });
  }

  /** Runs a statement on the connection with the least to do. */
  #query<T>(statement: (model: PgBossModel, now: number) => T): Promise<T> {
    const { model, server, onStatement } = this.#options;
    let wire = this.#pool[0] as Wire;
    for (const each of this.#pool) if (each.pending < wire.pending) wire = each;
    return wire.call(() => {
      onStatement();
      return statement(model, server.wall());
    });
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#process.setTimeout(resolve, ms));
  }
}
