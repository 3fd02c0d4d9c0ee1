import { answerTo, asWebhookError, type DeliveryResult } from './answer.js';
import { createDispatch } from './dispatch.js';
import { createGate } from './gate.js';
import { createIntake, type DeliveryRequest, type SignedRequest } from './intake.js';
import { type ReceiverOptions, resolveReceiverOptions, resolveVerifierOptions } from './options.js';
import { createReporter } from './reporter.js';
import { type DeliveryMessage, traceDelivery } from './tracing.js';

/** Receives deliveries: verifies, parses, runs your code once per event, and says how to answer. */
export interface Receiver {
  /** Handles a delivery whose parts you have at hand. Never rejects. */
  handle(delivery: SignedRequest): Promise<DeliveryResult>;
  /** Handles an HTTP request; what adapters call. Rejects with RawBodyUnavailableError alone. */
  receive(request: DeliveryRequest): Promise<DeliveryResult>;
  /** Answers 503 from now on and resolves when every delivery under way has been handled. */
  drain(): Promise<void>;
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
  const gate = createGate(verifierOptions.maxInFlight);
  const dispatch = createDispatch(receiverOptions);
  const reporter = createReporter(verifierOptions);

  function refuse(cause: unknown): DeliveryResult {
    const error = asWebhookError(cause);
    reporter.failed(error, {});
    return answerTo(error);
  }

  async function settle(
    signed: Parameters<typeof intake.verify>[0],
    message: DeliveryMessage,
  ): Promise<DeliveryResult> {
    try {
      return await gate.run(async () => {
        const outcomes = await dispatch(await intake.verify(signed, message));
        const errors = outcomes.flatMap(({ error }) => error ?? []);
        errors.sort((a, b) => WORST_LAST.indexOf(b.status) - WORST_LAST.indexOf(a.status));
        const result = answerTo(errors[0], outcomes);
        reporter.answered(result);
        return result;
      });
    } catch (error) {
      return refuse(error);
    }
  }

  return {
    handle(delivery) {
      const message = {};
      return traceDelivery(() => settle(delivery, message), message);
    },
    receive(request) {
      const message = { header: (name: string) => request.header(name) };
      return traceDelivery(async () => {
        try {
          return await settle(intake.open(request), message);
        } catch (error) {
          if (asWebhookError(error).code === 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE') throw error;
          return refuse(error);
        }
      }, message);
    },
    drain: () => gate.drain(),
  };
}

/** The receiver that an adapter was given, or one made of the options that it was given. */
export function asReceiver<Tx>(receiverOrOptions: Receiver | ReceiverOptions<Tx>): Receiver {
  const isReceiver =
    typeof receiverOrOptions === 'object' && receiverOrOptions !== null && 'receive' in receiverOrOptions;
  return isReceiver ? receiverOrOptions : createReceiver(receiverOrOptions);
}
