import { levelOf, statusOf, type WebhookError } from '../errors.js';
import { asWebhookError, type DeliveryResult, type EventOutcome } from '../handle/answer.js';
import type { DeadLetter } from '../handle/dead-letter.js';
import { type ReorgReport, traceReorgs } from '../handle/tracing.js';
import type { ErrorContext } from '../receive/request.js';
import type { ReceiverSettings, VerifierOptions } from './options.js';

/** Calls the user's `onError` and `logger`. Neither their time nor their failure affects the answer. */
export function createReporter({
  onError,
  onDeadLetter,
  logger,
}: Pick<VerifierOptions, 'onError' | 'logger'> & Pick<ReceiverSettings, 'onDeadLetter'>) {
  /** Reports a refusal, or a failure of one item. */
  function failed(cause: unknown, context: ErrorContext): void {
    const error = asWebhookError(cause);
    const { idempotencyKey } = context;
    notify(onError, (tell) => tell(error, context));
    notify(logger, (log) => {
      const level = levelOf(error);
      // A console would print the fields of a refusal on many lines that add nothing.
      if (log === console && statusOf(error) < 500) return console[level](error.message);
      return log[level]({ err: error, ...(idempotencyKey !== undefined && { idempotencyKey }) }, error.message);
    });
  }

  return {
    failed,
    deadLetter(letter: DeadLetter): void {
      notify(onDeadLetter, (tell) => tell(letter));
      // The event is not logged. `message` is that of the last error, from user code.
      const { idempotencyKey, source, attempts, code, message } = letter;
      notify(logger, (log) => log.error({ idempotencyKey, source, attempts, code, reason: message }, 'Dead letter.'));
    },
    /** Reports a pass over logs, on the log if it did anything. */
    settled(report: ReorgReport): void {
      traceReorgs(report);
      const { applied, reverted, failed } = report;
      if (applied + reverted + failed > 0) notify(logger, (log) => log.warn({ ...report }, 'Re-org settled.'));
    },
    /** Reports an authentic delivery: each event, and all invalid items at once. */
    answered({ status, outcomes }: DeliveryResult): void {
      const counts: Partial<Record<EventOutcome['status'], number>> = {};
      let invalid: WebhookError | undefined;
      for (const { status: outcome, error, item, idempotencyKey } of outcomes) {
        counts[outcome] = (counts[outcome] ?? 0) + 1;
        // All invalid items have the same error.
        if (error && error !== invalid) failed(error, { item, idempotencyKey });
        if (outcome === 'invalid') invalid = error;
        if (!error && item.status === 'event') {
          notify(logger, (log) => log.debug({ outcome, idempotencyKey }, 'Item settled.'));
        }
      }
      notify(logger, (log) => log.info({ status, items: outcomes.length, ...counts }, 'Delivery answered.'));
    },
    /** Reports a delivery that a verifier accepted. */
    verified: (items: number) => notify(logger, (log) => log.info({ items }, 'Delivery verified.')),
  };
}

function notify<Told>(told: Told | undefined, tell: (told: Told) => unknown): void {
  if (told === undefined) return;
  // An error of the report itself cannot be reported.
  (async () => tell(told))().catch(() => {});
}
