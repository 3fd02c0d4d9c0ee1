import { levelOf, statusOf, type WebhookError } from '../errors.js';
import type { DeliveryResult } from '../handle/answer.js';
import type { ErrorContext } from '../receive/request.js';
import type { VerifierOptions } from './options.js';

/** Calls the user's `onError` and `logger`. Neither their time nor their failure affects the answer. */
export interface Reporter {
  /** A refusal, or a failure of one item. */
  failed(error: WebhookError, context: ErrorContext): void;
  /** An authentic delivery: each event, and all invalid items at once. */
  answered(result: DeliveryResult): void;
  /** A delivery that a verifier accepted. */
  verified(items: number): void;
}

export function createReporter({ onError, logger }: Pick<VerifierOptions, 'onError' | 'logger'>): Reporter {
  function failed(error: WebhookError, context: ErrorContext): void {
    const { idempotencyKey } = context;
    notify(() => onError?.(error, context));
    const fields = { err: error, ...(idempotencyKey !== undefined && { idempotencyKey }) };
    notify(() => {
      // A console would print the fields of a refusal over many lines, which say no more.
      if (logger === console && statusOf(error) < 500) return console[levelOf(error)](error.message);
      return logger?.[levelOf(error)](fields, error.message);
    });
  }

  return {
    failed,
    answered({ status, outcomes }) {
      let invalid: WebhookError | undefined;
      for (const { status: outcome, error, item, idempotencyKey } of outcomes) {
        // All invalid items have the same error.
        if (error && error !== invalid) failed(error, { item, idempotencyKey });
        if (error && outcome === 'invalid') invalid = error;
        if (!error && logger && item.status === 'event') {
          notify(() => logger.debug({ outcome, idempotencyKey }, 'Item settled.'));
        }
      }
      if (!logger) return;
      const settled = counts(outcomes);
      const taken = { unknown: settled.unknown, invalid: invalid ? 0 : settled.invalid };
      for (const [outcome, items] of Object.entries(taken)) {
        if (items) notify(() => logger.debug({ outcome, items }, 'Items settled.'));
      }
      notify(() => logger.info({ status, items: outcomes.length, ...settled }, 'Delivery answered.'));
    },
    verified: (items) => notify(() => logger?.info({ items }, 'Delivery verified.')),
  };
}

/** How many items had each outcome, such as `{ handled: 3, duplicate: 1 }`. */
function counts(
  outcomes: DeliveryResult['outcomes'],
): Partial<Record<DeliveryResult['outcomes'][number]['status'], number>> {
  const found: ReturnType<typeof counts> = {};
  for (const { status } of outcomes) found[status] = (found[status] ?? 0) + 1;
  return found;
}

function notify(watch: () => unknown): void {
  // An error of the report itself cannot be reported.
  (async () => watch())().catch(() => {});
}
