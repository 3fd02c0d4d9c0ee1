import { WebhookError } from '../errors.js';
import type { EventItem } from '../events/parse-delivery.js';
import type { WebhookEvent } from '../events/types.js';
import type { Failed, Failure, LetterStore } from '../stores/store.js';
import { asWebhookError, type EventOutcome } from './answer.js';
import { codeOf } from './attempt-errors.js';
import type { AboutDelivery } from './context.js';
import { type DeadLetterLimits, letterText, marksOf, reasonOf, UNKNOWN } from './dead-letter.js';
import { isNonRetryable } from './non-retryable.js';
import type { Attempted } from './outcome.js';
import { recordOf } from './step.js';
import { traceDeadLetter } from './tracing.js';
import type { Afterwards } from './types.js';

/** Error codes that count as failures of the handler. */
const COUNTED = new Set<string | undefined>(['ERR_WEBHOOK_HANDLER', 'ERR_WEBHOOK_HANDLER_TIMEOUT', UNKNOWN]);

/** Counts the failures of events, and turns events into dead letters. */
export class Letters {
  readonly #store: LetterStore;
  readonly #limits: Required<{ [K in keyof DeadLetterLimits]: number }>;
  readonly #afterwards: Afterwards;

  constructor(store: LetterStore, { afterAttempts = 8, afterSeconds = 3600 }: DeadLetterLimits, after: Afterwards) {
    this.#store = store;
    this.#limits = { afterAttempts, afterSeconds };
    this.#afterwards = after;
  }

  /**
   * Counts failed events of a run that the store has rolled back or released. Events that failed together do not count,
   * because one of them may have failed the others. Never rejects.
   */
  settle({ outcomes, tried, failed }: Attempted, about: AboutDelivery): Promise<EventOutcome[]> {
    return Promise.all(
      outcomes.map(async (outcome) => {
        const { idempotencyKey = '', item, error } = outcome;
        const isAlone = tried.size === 1 && tried.has(idempotencyKey);
        const code = codeOf(error);
        const counts = COUNTED.has(code) && (isAlone || code === UNKNOWN || failed?.by === 'abandoned');
        if (!counts || !error || item.status !== 'event') return outcome;
        const isDead = await this.#count(idempotencyKey, item, about, error);
        // A retry returns the error itself.
        return isDead && about.retryOf === undefined ? { status: 'dead-lettered', item, idempotencyKey } : outcome;
      }),
    );
  }

  async #count(key: string, item: EventItem, about: AboutDelivery, error: WebhookError): Promise<boolean> {
    const isUnknown = codeOf(error) === UNKNOWN;
    const isFinal = isUnknown || isNonRetryable(error.cause);
    const { afterAttempts, afterSeconds } = this.#limits;
    try {
      const event = about.asReceived?.(item) ?? item.event;
      const failure = {
        ...reasonOf(error),
        letter: letterText(key, event, about.source),
        ...(about.retryOf === undefined ? recordOf(event, about) : { source: about.source }),
        isUnknown,
        afterAttempts: isFinal ? 1 : afterAttempts,
        afterMs: isFinal ? 0 : 1000 * afterSeconds,
        transitions: about.step?.transitions?.get(key),
      };
      const failed = await this.#store.fail(key, failure);
      if (failed?.isDead && about.retryOf === undefined) this.#tell(failed, failure, key, event);
      return failed?.isDead ?? false;
    } catch (cause) {
      const why = codeOf(cause) ? asWebhookError(cause) : new WebhookError('ERR_WEBHOOK_STORE', NOT_COUNTED, { cause });
      this.#afterwards.report(why, { item, idempotencyKey: key });
      return false;
    }
  }

  #tell(
    failed: Failed,
    { code, message, source, transitions }: Pick<Failure, 'code' | 'message' | 'source' | 'transitions'>,
    idempotencyKey: string,
    event: WebhookEvent,
  ): void {
    const { attempts, firstFailedAt } = failed;
    const times = { attempts, firstFailedAt, lastFailedAt: Date.now() };
    const letter = { idempotencyKey, event, source, ...times, code, message, ...marksOf(code, transitions) };
    traceDeadLetter(letter);
    this.#afterwards.deadLetter(letter);
  }
}

const NOT_COUNTED = 'The store did not count a failure of the handler, so the event makes no dead letter yet.';
