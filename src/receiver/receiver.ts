import { isWebhookError, statusOf, type WebhookError } from '../errors.js';
import { answerTo, asWebhookError, type DeliveryResult } from './answer.js';
import { createArrivals } from './arrivals.js';
import { createDispatch } from './dispatch.js';
import { type DrainOptions, drain } from './drain.js';
import { createGate } from './gate.js';
import { createIntake, type DeliveryRequest, type SignedRequest } from './intake.js';
import { type ErrorContext, type ReceiverOptions, resolveReceiverOptions, resolveVerifierOptions } from './options.js';
import type { EventOutcome } from './outcome.js';
import { createReporter } from './reporter.js';
import { type DeliveryMessage, traceDelivery } from './tracing.js';

/** Receives deliveries: verifies, parses, runs your code once per event, and says how to answer. */
export interface Receiver {
  /** Handles a delivery whose parts you have at hand. Never rejects. */
  handle(delivery: SignedRequest): Promise<DeliveryResult>;
  /** Handles an HTTP request; what adapters call. Rejects with RawBodyUnavailableError alone. */
  handleRequest(request: DeliveryRequest): Promise<DeliveryResult>;
  /**
   * Answers 503 from now on; what has begun to arrive is given 5 s. Resolves when no handler runs any more, late ones
   * included, and no record of the store is pending; or when `timeoutMs` is over, with how many are left: end the process
   * then, and close nothing that they use.
   */
  drain(options?: DrainOptions): Promise<{ unfinished: number }>;
}

/** Which status answers for a delivery whose items failed in different ways: the last, as it is sure to be sent again. */
const WORST_LAST = [422, 503, 500];

/**
 * Creates a receiver: verify, then parse, then your code exactly once per event (spec sections 5.2 and 6).
 * Nothing is acknowledged before it took effect. Exactly once holds as far as the `store` reaches: the default,
 * `memoryStore()`, is one process's.
 *
 * @example
 * ```ts
 * import { createReceiver } from 'event-webhook-receiver';
 *
 * const receiver = createReceiver({
 *   secret: process.env.WEBHOOK_SECRET ?? '',
 *   toleranceSeconds: 300,
 *   onEvent: async (event) => console.log(event.event, event.id),
 * });
 * ```
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is missing or makes no sense.
 */
export function createReceiver<Tx = undefined>(options: ReceiverOptions<Tx>): Receiver {
  const verifierOptions = resolveVerifierOptions(options);
  const receiverOptions = resolveReceiverOptions(options);
  const intake = createIntake(verifierOptions);
  const arrivals = createArrivals(verifierOptions);
  const gate = createGate(verifierOptions.maxInFlight);
  const reporter = createReporter(verifierOptions);
  const report = (error: unknown, context: ErrorContext) => reporter.failed(asWebhookError(error), context);
  const dispatch = createDispatch(receiverOptions, { hold: gate.hold, wait: gate.wait, report });

  function refuse(cause: unknown): DeliveryResult {
    const error = asWebhookError(cause);
    reporter.failed(error, {});
    return closing(answerTo(error));
  }

  function closing(result: DeliveryResult): DeliveryResult {
    return gate.isClosed ? { ...result, closeConnection: true } : result;
  }

  async function settle(
    signed: Parameters<typeof intake.verify>[0],
    message: DeliveryMessage,
  ): Promise<DeliveryResult> {
    try {
      gate.check();
      const delivery = await arrivals.run((arrival) => intake.verify(signed, arrival, message));
      gate.enter();
      try {
        const outcomes = await dispatch(delivery);
        const result = closing(answerTo(worstOf(outcomes), outcomes));
        reporter.answered(result);
        return result;
      } finally {
        gate.leave();
      }
    } catch (error) {
      return refuse(error);
    }
  }

  return {
    handle(delivery) {
      const message = {};
      return traceDelivery(() => settle(delivery, message), message);
    },
    handleRequest(request) {
      const message = { header: (name: string) => request.header(name) };
      return traceDelivery(async () => {
        let signed: ReturnType<typeof intake.open>;
        try {
          signed = intake.open(request);
        } catch (error) {
          const isUnavailable = isWebhookError(error) && error.code === 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE';
          if (isUnavailable && !request.answersUnavailable) throw error;
          return refuse(error);
        }
        return settle(signed, message);
      }, message);
    },
    drain: (options) => drain({ gate, arrivals, store: receiverOptions.store }, options),
  };
}

function worstOf(outcomes: readonly EventOutcome[]): WebhookError | undefined {
  let worst: WebhookError | undefined;
  for (const { error } of outcomes) if (error && (!worst || rank(error) > rank(worst))) worst = error;
  return worst;
}

function rank(error: WebhookError): number {
  return WORST_LAST.indexOf(statusOf(error));
}

/** The receiver that an adapter was given, or one made of the options that it was given. */
export function asReceiver<Tx>(receiverOrOptions: Receiver | ReceiverOptions<Tx>): Receiver {
  const isReceiver =
    typeof receiverOrOptions === 'object' && receiverOrOptions !== null && 'handleRequest' in receiverOrOptions;
  return isReceiver ? receiverOrOptions : createReceiver(receiverOrOptions);
}
