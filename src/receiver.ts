import { answerTo, asWebhookError, createReporter, type DeliveryResult } from './answer.js';
import { createDispatch } from './dispatch.js';
import { createGate } from './gate.js';
import { createIntake, type DeliveryRequest, type SignedRequest } from './intake.js';
import { type ReceiverOptions, resolveReceiverOptions, resolveVerifierOptions } from './options.js';

/** Receives deliveries: verifies, parses, runs your code once per event, and says how to answer. */
export interface Receiver {
  /** Handles a delivery whose parts you have at hand. Never rejects. */
  handle(delivery: SignedRequest): Promise<DeliveryResult>;
  /** Handles an HTTP request; what adapters call. Rejects with RawBodyUnavailableError alone. */
  receive(request: DeliveryRequest): Promise<DeliveryResult>;
  /** Answers 503 from now on and resolves when every delivery under way has been handled. */
  drain(): Promise<void>;
}

/** Which status answers for a delivery whose items failed in different ways: the one that is sure to be sent again. */
const WORST_FIRST = [500, 503, 422];

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
  const report = createReporter(verifierOptions.onError);

  function refuse(cause: unknown): DeliveryResult {
    const error = asWebhookError(cause);
    report(error, {});
    return answerTo(error);
  }

  async function settle(signed: Parameters<typeof intake.verify>[0]): Promise<DeliveryResult> {
    try {
      return await gate.run(async () => {
        const outcomes = await dispatch(await intake.verify(signed));
        for (const { error, item, idempotencyKey } of outcomes) {
          if (error !== undefined) report(error, { item, idempotencyKey });
        }
        const errors = outcomes.flatMap(({ error }) => error ?? []);
        const [status] = WORST_FIRST.filter((worst) => errors.some((error) => error.status === worst));
        return answerTo(errors.find((error) => error.status === status) ?? errors[0], outcomes);
      });
    } catch (error) {
      return refuse(error);
    }
  }

  return {
    handle: settle,
    async receive(request) {
      try {
        return await settle(intake.open(request));
      } catch (error) {
        if (asWebhookError(error).code === 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE') throw error;
        return refuse(error);
      }
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
