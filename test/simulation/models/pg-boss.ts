// What pg-boss 10 or 12 stores in Postgres, and its statements: jobs by queue and id, fetches, retries, expiry, dead letters,
// and how long finished jobs are kept. Each method is one statement: atomic, with `now` of the database's clock.
// Left out: priorities, policies other than `standard`, singletons, groups, heartbeats, dependencies, publish/subscribe,
// schedules, cancelled jobs, and what two statements that run at the same moment do to each other's rows: a fetch skips
// locked rows, and the others wait.

export type PgBossState = 'created' | 'retry' | 'active' | 'completed' | 'failed';

export interface PgBossQueue {
  readonly name: string;
  readonly policy: 'standard';
  readonly deadLetter: string | null;
  readonly expireInSeconds: number | null;
  /** Of version 10. */
  readonly retentionMinutes?: number | null;
  /** Of version 12. */
  readonly deleteAfterSeconds?: number | null;
}

/** A job. Times are in epoch ms. */
export interface PgBossJob {
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly data: string;
  readonly expireInSeconds: number;
  readonly retryLimit: number;
  readonly retryDelay: number;
  readonly retryBackoff: boolean;
  readonly deadLetter: string | null;
  readonly createdOn: number;
  readonly keepUntil: number;
  readonly deleteAfterSeconds: number;
  state: PgBossState;
  retryCount: number;
  startAfter: number;
  startedOn: number | undefined;
  completedOn: number | undefined;
  /** The message of the error that it failed with. */
  output: string | undefined;
}

/** The options of an inserted job that the model knows. */
export interface PgBossInsert {
  readonly id: string;
  readonly data: object;
  readonly retryLimit?: number | undefined;
  readonly retryDelay?: number | undefined;
  readonly retryBackoff?: boolean | undefined;
  readonly expireInSeconds?: number | undefined;
  /** A number of seconds, as text. */
  readonly startAfter?: string | undefined;
  readonly keepUntil?: string | undefined;
  readonly retentionSeconds?: number | undefined;
  readonly deleteAfterSeconds?: number | undefined;
}

/** A job and the try that a worker got; version 12 settles no other. */
export interface Claim {
  readonly id: string;
  readonly retryCount?: number | undefined;
}

interface Options {
  readonly version: 10 | 12;
  /** For the backoff, like `random()`. */
  readonly random: () => number;
  /** For the ids of dead letters. */
  readonly uuid: () => string;
  /** When version 10 archives what is finished, and when it deletes the archive. */
  readonly archiveAfterSeconds?: number | undefined;
  readonly deleteArchiveAfterSeconds?: number | undefined;
}

const KNOWN = new Set([
  ...['id', 'name', 'data', 'retryLimit', 'retryDelay', 'retryBackoff', 'expireInSeconds', 'startAfter', 'keepUntil'],
  ...['retentionSeconds', 'deleteAfterSeconds'],
]);
const DAY_SECONDS = 86_400;
const DEFAULT_EXPIRY_SECONDS = 900;

export class PgBossModel {
  readonly version: 10 | 12;
  readonly #options: Options;
  readonly #queues = new Map<string, PgBossQueue>();
  /** By queue and id, in the order of insertion. */
  readonly #jobs = new Map<string, PgBossJob>();
  /** What version 10 has archived, and when. */
  readonly #archive = new Map<string, { readonly job: PgBossJob; readonly at: number }>();

  constructor(options: Options) {
    this.version = options.version;
    this.#options = options;
  }

  createQueue(queue: PgBossQueue): void {
    this.#queues.set(queue.name, queue);
  }

  getQueue(name: string): PgBossQueue | undefined {
    return this.#queues.get(name);
  }

  /** Inserts the jobs whose ids the queue does not have. Returns the inserted ids. */
  insert(name: string, jobs: readonly PgBossInsert[], now: number): string[] {
    const queue = this.#queues.get(name);
    if (queue === undefined) throw new Error(`The pg-boss model does not know the queue ${name}.`);
    return jobs.flatMap((job) => {
      for (const option of Object.keys(job)) {
        if (!KNOWN.has(option)) throw new Error(`The pg-boss model does not know the job option ${option}.`);
      }
      const { id, retryLimit = 2, retryDelay = 0, retryBackoff = false } = job;
      if (this.#jobs.has(`${name} ${id}`)) return [];
      const startAfter = now + Number(job.startAfter ?? 0) * 1000;
      if (Number.isNaN(startAfter))
        throw new Error(`The pg-boss model does not know the startAfter ${job.startAfter}.`);
      const is10 = this.version === 10;
      const retention = job.retentionSeconds ?? (is10 ? (queue.retentionMinutes ?? 14 * 1440) * 60 : 14 * DAY_SECONDS);
      this.#add({
        ...{ id, name, data: JSON.stringify(job.data), state: 'created', retryLimit, retryCount: 0, retryBackoff },
        retryDelay: retryBackoff && is10 ? Math.max(1, retryDelay) : retryDelay,
        expireInSeconds: job.expireInSeconds ?? queue.expireInSeconds ?? DEFAULT_EXPIRY_SECONDS,
        deleteAfterSeconds: job.deleteAfterSeconds ?? queue.deleteAfterSeconds ?? 7 * DAY_SECONDS,
        ...{ deadLetter: queue.deadLetter, startAfter, createdOn: now, output: undefined },
        keepUntil: job.keepUntil === undefined ? startAfter + retention * 1000 : Date.parse(job.keepUntil),
        ...{ startedOn: undefined, completedOn: undefined },
      });
      return [id];
    });
  }

  /** Gives the oldest jobs that are due to a worker: a try for each. */
  fetch(name: string, batchSize: number, now: number): PgBossJob[] {
    const isDue = ({ startAfter }: PgBossJob) => (this.version === 10 ? startAfter < now : startAfter <= now);
    const due = [...this.#jobs.values()].filter(
      (job) => job.name === name && (job.state === 'created' || job.state === 'retry') && isDue(job),
    );
    due.sort((a, b) => a.createdOn - b.createdOn || (a.id < b.id ? -1 : 1));
    return due.slice(0, batchSize).map((job) => {
      if (job.startedOn !== undefined) job.retryCount++;
      job.state = 'active';
      job.startedOn = now;
      return { ...job };
    });
  }

  /** Completes those that are active. Returns how many. */
  complete(name: string, claims: readonly Claim[], now: number): number {
    const jobs = this.#find(name, claims, ({ state }) => state === 'active');
    for (const job of jobs) {
      job.state = 'completed';
      job.completedOn = now;
      job.output = undefined;
    }
    return jobs.length;
  }

  /** Fails those that are not finished. Returns how many. */
  fail(name: string, claims: readonly Claim[], output: string, now: number): number {
    return this.#fail(
      this.#find(name, claims, ({ state }) => state !== 'completed' && state !== 'failed'),
      output,
      now,
    );
  }

  /** Fails the jobs whose worker took too long. Returns how many. */
  expire(now: number): number {
    const expired = [...this.#jobs.values()].filter(
      ({ state, startedOn = 0, expireInSeconds }) => state === 'active' && startedOn + expireInSeconds * 1000 < now,
    );
    return this.#fail(expired, this.version === 10 ? 'job failed by timeout in active state' : 'job timed out', now);
  }

  /** Archives (version 10) or deletes (version 12) what was finished long ago. */
  archive(now: number): void {
    const after = this.#options.archiveAfterSeconds;
    for (const [key, job] of this.#jobs) {
      const { completedOn } = job;
      const seconds = this.version === 10 ? after : job.deleteAfterSeconds || undefined;
      const isOld = completedOn !== undefined && seconds !== undefined && completedOn + seconds * 1000 < now;
      if (!isOld && !(completedOn === undefined && job.state !== 'active' && job.keepUntil < now)) continue;
      this.#jobs.delete(key);
      if (this.version === 10 && !this.#archive.has(key)) this.#archive.set(key, { job, at: now });
    }
  }

  /** Deletes what was archived long ago. */
  drop(now: number): void {
    const seconds = this.#options.deleteArchiveAfterSeconds;
    for (const [key, { at }] of this.#archive) {
      if (seconds !== undefined && at + seconds * 1000 < now) this.#archive.delete(key);
    }
  }

  job(name: string, id: string): PgBossJob | undefined {
    return this.#jobs.get(`${name} ${id}`);
  }

  archived(name: string, id: string): PgBossJob | undefined {
    return this.#archive.get(`${name} ${id}`)?.job;
  }

  jobs(name: string): PgBossJob[] {
    return [...this.#jobs.values()].filter((job) => job.name === name);
  }

  #find(name: string, claims: readonly Claim[], isWanted: (job: PgBossJob) => boolean): PgBossJob[] {
    return claims.flatMap(({ id, retryCount }) => {
      const job = this.#jobs.get(`${name} ${id}`);
      if (job === undefined || !isWanted(job)) return [];
      const isFenced = this.version === 12 && retryCount !== undefined;
      return isFenced && (job.state !== 'active' || job.retryCount !== retryCount) ? [] : [job];
    });
  }

  #fail(jobs: readonly PgBossJob[], output: string, now: number): number {
    for (const job of jobs) {
      // pg-boss deletes the row and inserts it again.
      this.#jobs.delete(`${job.name} ${job.id}`);
      this.#add(job);
      job.output = output;
      if (job.retryCount !== job.retryLimit) job.startAfter = now + this.#delayOf(job) * 1000;
      job.state = job.retryCount < job.retryLimit ? 'retry' : 'failed';
      if (job.state === 'retry') continue;
      job.completedOn = now;
      this.#bury(job, now);
    }
    return jobs.length;
  }

  /** Seconds until the next try. */
  #delayOf({ retryBackoff, retryDelay, retryCount }: PgBossJob): number {
    if (!retryBackoff) return retryDelay;
    const delay = this.version === 10 ? retryDelay : Math.max(1, retryDelay);
    const half = (delay * 2 ** Math.min(16, retryCount + 1)) / 2;
    return half + half * this.#options.random();
  }

  #bury(job: PgBossJob, now: number): void {
    const { deadLetter, keepUntil, startAfter } = job;
    const queue = deadLetter === null ? undefined : this.#queues.get(deadLetter);
    if (queue === undefined || (this.version === 10 && deadLetter === job.name)) return;
    const is10 = this.version === 10;
    this.#add({
      ...{ id: this.#options.uuid(), name: queue.name, data: job.data, state: 'created', retryCount: 0 },
      ...{ retryLimit: is10 ? job.retryLimit : 2, retryDelay: 0, retryBackoff: false, deadLetter: null },
      expireInSeconds: is10 ? DEFAULT_EXPIRY_SECONDS : (queue.expireInSeconds ?? DEFAULT_EXPIRY_SECONDS),
      deleteAfterSeconds: queue.deleteAfterSeconds ?? 7 * DAY_SECONDS,
      ...{ createdOn: now, startAfter: now, startedOn: undefined, completedOn: undefined },
      keepUntil: is10 ? keepUntil + (keepUntil - startAfter) : now + 14 * DAY_SECONDS * 1000,
      // Version 12 keeps it apart from that of the dead letter's own run.
      output: is10 ? job.output : undefined,
    });
  }

  #add(job: PgBossJob): void {
    this.#jobs.set(`${job.name} ${job.id}`, job);
  }
}
