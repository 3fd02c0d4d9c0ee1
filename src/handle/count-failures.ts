import { WebhookError } from '../errors.js';
import type { EventItem } from '../events/parse-delivery.js';
import type { LetterStore } from '../stores/store.js';
import { asWebhookError } from './answer.js';
import type { AboutDelivery, AsReceived } from './context.js';
import { type DeadLetterLimits, letterText, marksOf, reasonOf, UNKNOWN } from './dead-letter.js';
import { isNonRetryable } from './non-retryable.js';
import { recordOf } from './once.js';
import type { CountFailures } from './outcome.js';
import { traceDeadLetter } from './tracing.js';
import type { Afterwards } from './types.js';

/** Error codes that count as failures of the handler. */
const COUNTED = new Set<string | undefined>(['ERR_WEBHOOK_HANDLER', 'ERR_WEBHOOK_HANDLER_TIMEOUT', UNKNOWN]);

export function createCountFailures(
  store: LetterStore,
  { afterAttempts = 8, afterSeconds = 3600 }: DeadLetterLimits,
  afterwards: Afterwards,
): CountFailures {
  async function becomesLetter(idempotencyKey: string, item: EventItem, about: AboutDelivery, error: WebhookError) {
    const isUnknown = WebhookError.codeOf(error) === UNKNOWN;
    const isFinal = isUnknown || isNonRetryable(error.cause);
    try {
      const event = (about.asReceived as AsReceived)(item);
      const record = about.retryOf === undefined ? recordOf(event, about) : { source: about.source };
      const reason = reasonOf(error);
      const transitions = about.step?.transitions?.get(idempotencyKey);
      const failed = await store.fail(idempotencyKey, {
        ...record,
        ...reason,
        letter: letterText(idempotencyKey, event, about.source),
        isUnknown,
        afterAttempts: isFinal ? 1 : afterAttempts,
        afterMs: isFinal ? 0 : 1000 * afterSeconds,
        transitions,
      });
      if (!failed?.isDead) return false;
      if (about.retryOf === undefined) {
        const { attempts, firstFailedAt } = failed;
        const times = { attempts, firstFailedAt, lastFailedAt: Date.now() };
        const marks = marksOf(reason.code, transitions);
        const letter = { idempotencyKey, event, source: about.source, ...times, ...reason, ...marks };
        traceDeadLetter(letter);
        afterwards.deadLetter(letter);
      }
      return true;
    } catch (cause) {
      const why = WebhookError.codeOf(cause)
        ? asWebhookError(cause)
        : new WebhookError('ERR_WEBHOOK_STORE', NOT_COUNTED, { cause });
      afterwards.report(why, { item, idempotencyKey });
      return false;
    }
  }

  return ({ outcomes, tried, failed }, about) =>
    Promise.all(
      outcomes.map(async (outcome) => {
        const { item, error } = outcome;
        const idempotencyKey = outcome.idempotencyKey as string;
        const isAlone = failed?.by === 'abandoned' || (tried.size === 1 && tried.has(idempotencyKey));
        const code = WebhookError.codeOf(error);
        if (!COUNTED.has(code) || !(isAlone || code === UNKNOWN)) return outcome;
        const becameLetter = await becomesLetter(idempotencyKey, item as EventItem, about, error as WebhookError);
        // A retry returns the error itself.
        return becameLetter && about.retryOf === undefined
          ? { status: 'dead-lettered', item, idempotencyKey }
          : outcome;
      }),
    );
}

const NOT_COUNTED = 'The store did not count a failure of the handler, so the event makes no dead letter yet.';
