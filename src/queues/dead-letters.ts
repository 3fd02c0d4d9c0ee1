import type { DeadLetter } from '../handle/dead-letter.js';
import { checkWhole } from '../internal/check-options.js';
import type { DeadLetterFilter, ListDeadLettersOptions } from '../receiver/dead-letters.js';
import { readJob } from './job.js';

/** A failed job of a queue: what the engine knows of a {@link DeadLetter}. */
export interface QueueDeadLetter extends Partial<Pick<DeadLetter, 'event' | 'source' | 'attempts'>> {
  /** The id of the engine's job, if its data is not an event job. */
  readonly idempotencyKey: string;
  readonly lastFailedAt: number;
  readonly message: string;
  /** The data of the job, if it is not an event job. */
  readonly data?: unknown;
}

/** The failed jobs of a queue, like the `deadLetters` of a receiver. A retry queues them again, for the workers. */
export interface QueueDeadLetters {
  /** Returns a page. With a `source`, it may have fewer letters than `limit`, and a cursor nevertheless. */
  list(options?: ListDeadLettersOptions): Promise<{ readonly letters: readonly QueueDeadLetter[]; cursor?: string }>;
  find(idempotencyKey: string): Promise<QueueDeadLetter | undefined>;
  retry(which: readonly string[] | DeadLetterFilter): Promise<{ readonly queued: number; readonly skipped: number }>;
  discard(keys: readonly string[]): Promise<string[]>;
}

/** A failed job as an engine reads it. Both functions return false if the job is no longer failed. */
export interface FailedJob extends Omit<QueueDeadLetter, 'idempotencyKey'> {
  readonly id: string;
  readonly retry: () => Promise<boolean>;
  readonly discard: () => Promise<boolean>;
}

type Read = (start: number, limit: number) => Promise<readonly FailedJob[]>;

/** `read` returns failed jobs from a position, oldest first. */
export function queueDeadLetters(read: Read): QueueDeadLetters {
  async function page({ source, limit = 100, cursor = '0' }: ListDeadLettersOptions = {}) {
    checkWhole('limit', limit, 1, 1000);
    const jobs = await read(Number(cursor), limit + 1);
    const found = jobs.slice(0, limit).map((job) => ({ job, letter: letterOf(job) }));
    return {
      found: found.filter(({ letter }) => source === undefined || letter.source === source),
      ...(jobs.length > limit && { cursor: String(Number(cursor) + limit) }),
    };
  }

  /** All of them, before the first is changed, because a retried job may fail again meanwhile. */
  async function select(which: readonly string[] | DeadLetterFilter) {
    const [keys, filter] = Array.isArray(which) ? [new Set<string>(which), {}] : [undefined, which];
    let { found, cursor } = await page({ ...filter, limit: 1000 });
    while (cursor !== undefined) {
      const next = await page({ ...filter, limit: 1000, cursor });
      found = [...found, ...next.found];
      cursor = next.cursor;
    }
    return found.filter(({ letter }) => keys?.has(letter.idempotencyKey) ?? true);
  }

  return {
    async list(options) {
      const { found, ...more } = await page(options);
      return { letters: found.map(({ letter }) => letter), ...more };
    },
    find: async (key) => (await select([key]))[0]?.letter,
    async retry(which) {
      const selected = await select(which);
      let queued = 0;
      for (const { job } of selected) if (await job.retry()) queued++;
      return { queued, skipped: (Array.isArray(which) ? which : selected).length - queued };
    },
    async discard(keys) {
      const discarded: string[] = [];
      for (const { job, letter } of await select(keys)) if (await job.discard()) discarded.push(letter.idempotencyKey);
      return discarded;
    },
  };
}

function letterOf({ id, data, retry: _, discard: __, ...letter }: FailedJob): QueueDeadLetter {
  try {
    const { event, idempotencyKey, source } = readJob(data);
    return { idempotencyKey, event, source, ...letter };
  } catch {
    return { idempotencyKey: id, data, ...letter };
  }
}
