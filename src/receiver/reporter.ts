import type { WebhookError } from '../errors.js';
import type { DeliveryResult } from './answer.js';
import type { ErrorContext, VerifierOptions } from './options.js';

/** Tells the user's `onError` and `logger` what happens. Neither their time nor their failure matters to the answer. */
export interface Reporter {
  /** A refusal, or a failure of one item. */
  failed(error: WebhookError, context: ErrorContext): void;
  /** An authentic delivery, item by item. */
  answered(result: DeliveryResult): void;
}

/** Codes of what the subscriber has to look after; the others are the sender's doing, or pass by themselves. */
const OURS = /_(HAND|INTERNAL|STORE|SECRET|RAW_BODY)/;

export function createReporter({ onError, logger }: Pick<VerifierOptions, 'onError' | 'logger'>): Reporter {
  function failed(error: WebhookError, context: ErrorContext): void {
    const { idempotencyKey } = context;
    notify(() => onError?.(error, context));
    notify(() => logger?.[OURS.test(error.code) ? 'error' : 'warn']({ err: error, idempotencyKey }, error.message));
  }

  return {
    failed,
    answered({ status, outcomes }) {
      for (const { status: outcome, error, item, idempotencyKey } of outcomes) {
        if (error) failed(error, { item, idempotencyKey });
        else if (logger) notify(() => logger.debug({ outcome, idempotencyKey }, 'Item settled.'));
      }
      notify(() => logger?.info({ status, items: outcomes.length }, 'Delivery answered.'));
    },
  };
}

function notify(watch: () => unknown): void {
  // This is where errors go: one of its own has nowhere left to go.
  (async () => watch())().catch(() => {});
}
