import type { BullmqJobInsert } from '../../../src/queues/bullmq/index.js';

// What a BullMQ 6 queue on Redis stores, and its scripts: jobs by id, the lists and sets of their states, locks that expire,
// the check for stalled jobs, retries after a delay, and how long completed jobs are kept. Each method is one script or
// MULTI: atomic. Two clocks count, as in BullMQ: locks expire by that of the server (`now`), while delays and ages go by that
// of the client that calls (`timestamp`).
// Left out: priorities, LIFO, flows, schedulers, deduplication, rate limits, a paused queue, the events and the markers that
// wake a blocked worker (a simulated worker polls), and BullMQ on Postgres.

/** What BullMQ's scripts answer when they refuse. */
export const REFUSED = { missingJob: -1, missingLock: -2, otherLock: -6 } as const;

export type BullmqState = 'waiting' | 'active' | 'delayed' | 'completed' | 'failed' | 'unknown';

/** A job as a worker gets it. */
export interface BullmqJob {
  readonly id: string;
  /** JSON text. */
  readonly data: string;
  readonly attempts: number;
  readonly backoffMs: number;
  /** How long it is kept once completed; false for ever. */
  readonly keepSeconds: number | false;
  /** How many tries have ended. */
  attemptsMade: number;
  /** How often a worker got it. */
  attemptsStarted: number;
  stalledCount: number;
  failedReason: string | undefined;
  /** The worker that gets the job must fail it with this reason. */
  deferredFailure: string | undefined;
}

/** A job that a worker gets, or when the next one is due by the clock of the clients. */
export interface NextBullmqJob {
  readonly job?: BullmqJob | undefined;
  readonly dueAt?: number | undefined;
}

/** 0, or why the engine refused; and the next job if one was asked for. */
export interface Moved extends NextBullmqJob {
  readonly code: number;
}

export interface LockRequest {
  readonly token: string;
  readonly lockMs: number;
}

interface Lock {
  readonly token: string;
  readonly until: number;
}

const DONE: Moved = { code: 0 };
/** BullMQ counts delayed jobs of the same millisecond in the lowest bits of their scores. */
const SCORES_PER_MS = 4096;
/** BullMQ removes at most so many old jobs at a time. */
const MOST_REMOVED = 1000;

export class BullmqModel {
  readonly #jobs = new Map<string, BullmqJob>();
  readonly #locks = new Map<string, Lock>();
  /** The next one last. */
  readonly #waiting: string[] = [];
  /** The latest first. */
  readonly #active: string[] = [];
  /** By score. */
  readonly #delayed: { readonly id: string; readonly score: number }[] = [];
  /** With their time, the oldest first. */
  readonly #completed = new Map<string, number>();
  readonly #failed = new Map<string, number>();
  #maybeStalled = new Set<string>();
  #checkedUntil = Number.NEGATIVE_INFINITY;

  /** Adds the jobs whose ids it does not have, all or none. Returns their ids. */
  addBulk(inserts: readonly BullmqJobInsert[]): { readonly id: string }[] {
    return inserts.map(({ data, opts }) => {
      const { jobId: id, attempts, backoff, removeOnComplete, removeOnFail, ...others } = opts;
      for (const name of Object.keys(others)) throw new Error(`The BullMQ model does not know the job option ${name}.`);
      if (backoff.type !== 'exponential')
        throw new Error(`The BullMQ model does not know the backoff ${backoff.type}.`);
      if (removeOnFail !== false) throw new Error('The BullMQ model does not know removeOnFail.');
      if (!this.#jobs.has(id)) {
        this.#jobs.set(id, {
          ...{ id, data: JSON.stringify(data), attempts, backoffMs: backoff.delay },
          keepSeconds: removeOnComplete === false ? false : removeOnComplete.age,
          ...{
            attemptsMade: 0,
            attemptsStarted: 0,
            stalledCount: 0,
            failedReason: undefined,
            deferredFailure: undefined,
          },
        });
        this.#waiting.unshift(id);
      }
      return { id };
    });
  }

  /** Gives the next job to a worker, with a lock. */
  moveToActive({ token, lockMs }: LockRequest, timestamp: number, now: number): NextBullmqJob {
    this.#promote(timestamp);
    const id = this.#waiting.pop();
    if (id === undefined) {
      const [first] = this.#delayed;
      return { dueAt: first && first.score / SCORES_PER_MS };
    }
    this.#active.unshift(id);
    this.#locks.set(id, { token, until: now + lockMs });
    const job = this.#job(id);
    job.attemptsStarted++;
    return { job: { ...job } };
  }

  moveToCompleted(id: string, token: string, timestamp: number, now: number, next?: LockRequest): Moved {
    const code = this.#release(id, token, now);
    if (code < 0) return { code };
    const job = this.#job(id);
    job.attemptsMade++;
    insertByTime(this.#completed, id, timestamp);
    if (job.keepSeconds !== false) this.#removeOld(timestamp - job.keepSeconds * 1000);
    return next ? { code, ...this.moveToActive(next, timestamp, now) } : DONE;
  }

  /** For good: it is a dead letter. */
  moveToFailed(id: string, token: string, reason: string, timestamp: number, now: number, next?: LockRequest): Moved {
    const code = this.#release(id, token, now, reason);
    if (code < 0) return { code };
    const job = this.#job(id);
    job.attemptsMade++;
    job.deferredFailure = undefined;
    insertByTime(this.#failed, id, timestamp);
    return next ? { code, ...this.moveToActive(next, timestamp, now) } : DONE;
  }

  /** To run again after a delay. Uses up an attempt only if it failed. */
  moveToDelayed(
    id: string,
    token: string,
    { delayMs, reason }: { readonly delayMs: number; readonly reason?: string | undefined },
    timestamp: number,
    now: number,
    next?: LockRequest,
  ): Moved {
    const code = this.#release(id, token, now, reason);
    if (code < 0) return { code };
    if (reason !== undefined) this.#job(id).attemptsMade++;
    const least = (timestamp + Math.max(0, delayMs)) * SCORES_PER_MS;
    const most = least + SCORES_PER_MS - 1;
    const last = this.#delayed.findLast(({ score }) => score >= least && score <= most);
    const score = last ? Math.min(most, last.score + 1) : least;
    const after = this.#delayed.findIndex((each) => each.score > score);
    this.#delayed.splice(after < 0 ? this.#delayed.length : after, 0, { id, score });
    const found = next && this.moveToActive(next, timestamp, now);
    return found?.job ? { code, job: found.job } : DONE;
  }

  /** To run again at once. */
  retryJob(id: string, token: string, reason: string, timestamp: number, now: number): number {
    this.#promote(timestamp);
    const code = this.#release(id, token, now, reason);
    if (code < 0) return code;
    this.#job(id).attemptsMade++;
    this.#waiting.unshift(id);
    return code;
  }

  /** Puts the job of a rate limit back, as the next one. */
  moveFromActiveToWait(id: string, token: string, now: number): number {
    const code = this.#unlock(id, token, now);
    if (code === 0 && remove(this.#active, id)) this.#waiting.push(id);
    return code;
  }

  /** Returns the jobs whose locks were lost. */
  extendLocks(ids: readonly string[], tokens: readonly string[], lockMs: number, now: number): string[] {
    return ids.filter((id, index) => {
      const token = tokens[index];
      if (token === undefined || this.#lockOf(id, now)?.token !== token) return true;
      this.#locks.set(id, { token, until: now + lockMs });
      this.#maybeStalled.delete(id);
      return false;
    });
  }

  /**
   * Puts the jobs back that were active at the last check too and have lost their locks; at most once in `intervalMs`, however
   * many workers ask. Returns their ids in the order in which they go back, which Redis does not define.
   */
  moveStalledJobsToWait(
    maxStalledCount: number,
    intervalMs: number,
    now: number,
    inOrder: (ids: readonly string[]) => readonly string[] = (ids) => ids,
  ): readonly string[] {
    if (now <= this.#checkedUntil) return [];
    this.#checkedUntil = now + intervalMs;
    const lost = [...this.#maybeStalled].filter((id) => !this.#lockOf(id, now) && remove(this.#active, id));
    const stalled = inOrder(lost);
    for (const id of stalled) {
      const job = this.#job(id);
      if (++job.stalledCount > maxStalledCount) job.deferredFailure = 'job stalled more than allowable limit';
      this.#waiting.push(id);
    }
    this.#maybeStalled = new Set(this.#active);
    return stalled;
  }

  job(id: string): BullmqJob | undefined {
    return this.#jobs.get(id);
  }

  get hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  stateOf(id: string): BullmqState {
    if (this.#waiting.includes(id)) return 'waiting';
    if (this.#active.includes(id)) return 'active';
    if (this.#completed.has(id)) return 'completed';
    if (this.#failed.has(id)) return 'failed';
    return this.#delayed.some((each) => each.id === id) ? 'delayed' : 'unknown';
  }

  /** The ids of the jobs of each state; the next one to run first. */
  lists(): Record<Exclude<BullmqState, 'unknown'>, readonly string[]> {
    return {
      waiting: this.#waiting.toReversed(),
      active: this.#active.toReversed(),
      delayed: this.#delayed.map(({ id }) => id),
      completed: [...this.#completed.keys()],
      failed: [...this.#failed.keys()],
    };
  }

  /** The tokens of the locks that have not expired. */
  locks(now: number): ReadonlyMap<string, string> {
    const held = [...this.#locks].filter(([, { until }]) => until >= now);
    return new Map(held.map(([id, { token }]) => [id, token]));
  }

  #promote(timestamp: number): void {
    while ((this.#delayed[0]?.score ?? Number.POSITIVE_INFINITY) < (timestamp + 1) * SCORES_PER_MS) {
      this.#waiting.unshift((this.#delayed.shift() as { readonly id: string }).id);
    }
  }

  /** Takes an active job from the worker that has its lock. */
  #release(id: string, token: string, now: number, reason?: string): number {
    const code = this.#unlock(id, token, now);
    if (code < 0) return code;
    if (reason !== undefined) this.#job(id).failedReason = reason;
    remove(this.#active, id);
    return code;
  }

  #unlock(id: string, token: string, now: number): number {
    if (!this.#jobs.has(id)) return REFUSED.missingJob;
    const lock = this.#lockOf(id, now);
    if (lock?.token !== token) return lock ? REFUSED.otherLock : REFUSED.missingLock;
    this.#locks.delete(id);
    this.#maybeStalled.delete(id);
    return 0;
  }

  #lockOf(id: string, now: number): Lock | undefined {
    const lock = this.#locks.get(id);
    return lock && lock.until >= now ? lock : undefined;
  }

  #job(id: string): BullmqJob {
    const job = this.#jobs.get(id);
    if (job === undefined) throw new Error(`The BullMQ model has no job ${id}.`);
    return job;
  }

  #removeOld(before: number): void {
    const old = [...this.#completed].filter(([, time]) => time <= before).slice(-MOST_REMOVED);
    for (const [id] of old) {
      this.#completed.delete(id);
      this.#jobs.delete(id);
    }
  }
}

function remove(list: string[], id: string): boolean {
  const index = list.indexOf(id);
  if (index >= 0) list.splice(index, 1);
  return index >= 0;
}

/** Like a sorted set: by time, then by id. */
function insertByTime(times: Map<string, number>, id: string, time: number): void {
  const later = [...times].filter(([other, at]) => at > time || (at === time && other > id));
  for (const [other] of later) times.delete(other);
  times.set(id, time);
  for (const [other, at] of later) times.set(other, at);
}
