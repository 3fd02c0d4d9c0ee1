import { ConfigError } from '../errors.js';
import type { DeliveryItem } from '../events/parse-delivery.js';
import type { DeliveryResult, EventOutcome } from '../handle/answer.js';
import type { AboutDelivery } from '../handle/context.js';
import { type DeadLetter, deadLetterOf } from '../handle/dead-letter.js';
import { checkWhole, optionError } from '../internal/check-options.js';
import type { IdempotencyStore, LetterStore, StoredLetter } from '../stores/store.js';

const PAGE = 100;

/** Selects dead letters. */
export interface DeadLetterFilter {
  /** Only letters of this source. (Default: of all sources.) */
  readonly source?: string | undefined;
}

export interface ListDeadLettersOptions extends DeadLetterFilter {
  /** Most letters to return, up to 1000. (Default: 100.) */
  readonly limit?: number | undefined;
  /** Where to continue: the `cursor` of the previous page. */
  readonly cursor?: string | undefined;
}

export interface DeadLetterPage {
  readonly letters: readonly DeadLetter[];
  /** For the next page; absent after the last letter. */
  readonly cursor?: string | undefined;
}

/** The result for one dead letter. `skipped`: it is no longer a dead letter, or is being retried elsewhere. */
export interface RetriedLetter {
  readonly idempotencyKey: string;
  readonly status: 'handled' | 'failed' | 'skipped';
  readonly error?: Error | undefined;
}

export interface RetryOptions {
  /** Called with each result as soon as it is known. */
  readonly onResult?: ((result: RetriedLetter) => unknown) | undefined;
}

/** How many letters took effect, failed again, and were skipped. */
export type RetriedLetters = { readonly [Status in RetriedLetter['status']]: number };

/**
 * The dead letters of the receiver's store. Each method rejects with ConfigError if the receiver has no store that
 * keeps dead letters, and with `ERR_WEBHOOK_STORE` if the store fails.
 */
export interface DeadLetters {
  list(options?: ListDeadLettersOptions): Promise<DeadLetterPage>;
  /** Returns the dead letter of an idempotency key, with the prefix of its source; undefined if there is none. */
  find(idempotencyKey: string): Promise<DeadLetter | undefined>;
  /**
   * Runs the handler for dead letters, one after the other, like a delivery: in its transaction or lease, within its
   * time limit. The letter is removed with the effect; if the handler fails, it stays, with one more attempt. Letters
   * whose outcome is unknown (`isUnknown`) are retried by their keys only.
   *
   * @param which Idempotency keys, or a filter: `{}` for all.
   */
  retry(which: readonly string[] | DeadLetterFilter, options?: RetryOptions): Promise<RetriedLetters>;
  /** Removes dead letters, whose events count as handled from then on. Returns the keys that were dead letters. */
  discard(keys: readonly string[]): Promise<string[]>;
}

export function createDeadLetters<Tx>(
  store: IdempotencyStore<Tx> | false,
  handle: (items: readonly DeliveryItem[], about: AboutDelivery) => Promise<DeliveryResult>,
): DeadLetters {
  function letters(): LetterStore {
    const found = (store || undefined)?.letters;
    if (found) return found;
    throw new ConfigError('The receiver has no store that keeps dead letters: see `deadLetters`.');
  }

  async function retryOne(key: string, stored: StoredLetter | undefined): Promise<RetriedLetter> {
    if (!stored) return { idempotencyKey: key, status: 'skipped' };
    const { item, idempotencyKey, source } = deadLetterOf(stored, key);
    const timestamp = String(Math.floor(Date.now() / 1000));
    const asReceived = () => deadLetterOf(stored, key).event;
    const about = { source, timestamp, via: 'retry', retryOf: idempotencyKey, asReceived } as const;
    const { outcomes } = await handle([item], about);
    const [{ status, error }] = outcomes as [EventOutcome];
    if (status === 'handled') return { idempotencyKey, status };
    const isElsewhere = status === 'duplicate' || status === 'in-progress';
    return { idempotencyKey, status: isElsewhere ? 'skipped' : 'failed', error };
  }

  const look = async (key: string) => (await letters().look([key])).get(key);

  /** The letters to retry, in pages. */
  async function* found(which: readonly string[] | DeadLetterFilter) {
    if (Array.isArray(which)) {
      for (const key of which as readonly string[]) yield [key, await look(key)] as const;
      return;
    }
    let after: string | undefined;
    do {
      const page = await letters().list({ ...(which as DeadLetterFilter), after, limit: PAGE });
      for (const [key, stored] of page.letters) if (!deadLetterOf(stored, key).isUnknown) yield [key, stored] as const;
      after = page.next;
    } while (after !== undefined);
  }

  return {
    async list({ source, limit = PAGE, cursor } = {}) {
      checkWhole('limit', limit, 1, 1000);
      const page = await letters().list({ source, limit, after: cursor });
      return { letters: [...page.letters].map(publicLetter), cursor: page.next };
    },

    async find(idempotencyKey) {
      if (typeof idempotencyKey !== 'string') throw optionError('idempotencyKey', 'a string', idempotencyKey);
      const stored = await look(idempotencyKey);
      return stored && publicLetter([idempotencyKey, stored]);
    },

    async retry(which, { onResult } = {}) {
      if (typeof which !== 'object' || which === null) {
        throw optionError('which', 'an array of idempotency keys, or a filter', which);
      }
      const counts = { handled: 0, failed: 0, skipped: 0 };
      for await (const [key, stored] of found(which)) {
        const result = await retryOne(key, stored);
        counts[result.status]++;
        onResult?.(result);
      }
      return counts;
    },

    discard: async (keys) => [...(await letters().discard(keys))],
  };
}

function publicLetter([key, stored]: readonly [string, StoredLetter]): DeadLetter {
  const { item: _, ...letter } = deadLetterOf(stored, key);
  return letter;
}
