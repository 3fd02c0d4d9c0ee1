import type { WebhookError } from '../errors.js';
import type { HandleSettings } from '../handle/options.js';
import type { Enqueue, OnEvent, OnEvents } from '../handle/types.js';
import type { Logger } from '../internal/logger.js';
import type { ReceiveSettings } from '../receive/options.js';
import type { ErrorContext } from '../receive/request.js';

/** Called for every refusal and failure. Not awaited; what it throws is ignored. */
export type OnError = (error: WebhookError, context: ErrorContext) => unknown;

/** Options of `createVerifier` and of the adapters' verifiers. */
export interface VerifierOptions extends ReceiveSettings {
  /**
   * Called for every refusal and failure; not awaited. `ERR_WEBHOOK_RAW_BODY_UNAVAILABLE` also goes to the framework's
   * error handler, where there is one.
   */
  readonly onError?: OnError | undefined;
  /**
   * Logger with pino's signature (`console` works): `error` for failures on your side, `warn` for other refusals, `info`
   * for authentic deliveries, `debug` for each item. Never logs a secret, a signature, or a body.
   */
  readonly logger?: Logger | undefined;
}

/** Options of a receiver except its handler. */
export interface ReceiverSettings<Tx = undefined> extends VerifierOptions, HandleSettings<Tx> {}

/** Options of a receiver that passes each event of a delivery to `onEvent`. */
export interface OnEventOptions<Tx = undefined>
  extends ReceiverSettings<Tx>,
    Unset<'onEvents' | 'onRevertedEvents' | 'enqueue'> {
  /** Handles one event. Resolve once it took effect; throw to have the event redelivered. */
  readonly onEvent: OnEvent<NoInfer<Tx>>;
  /**
   * Undoes the effect of an event whose block left the chain, in the transaction of the store. Gets the event as it was
   * applied. If it throws, the event is tried again. Required with `reorgs`.
   */
  readonly onReverted?: OnEvent<NoInfer<Tx>> | undefined;
}

/** Options of a receiver that passes the events of a delivery to `onEvents` at once. */
export interface OnEventsOptions<Tx = undefined>
  extends ReceiverSettings<Tx>,
    Unset<'onEvent' | 'onReverted' | 'enqueue'> {
  /**
   * Handles the events of a delivery that have not taken effect, in their order, each key once; in one transaction if
   * the store has one. Resolve once all took effect. If it throws, all of them fail; with a transactional store they
   * are first retried in halves, so that one failing event does not block the others.
   */
  readonly onEvents: OnEvents<NoInfer<Tx>>;
  /** Undoes the effects of events of one block that left the chain, the last event first. Required with `reorgs`. */
  readonly onRevertedEvents?: OnEvents<NoInfer<Tx>> | undefined;
}

/** Options of a receiver that passes all events of a delivery to `enqueue` at once. */
export interface EnqueueOptions<Tx = undefined>
  extends ReceiverSettings<Tx>,
    Unset<'onEvent' | 'onReverted' | 'onEvents' | 'onRevertedEvents'> {
  /** Stores the valid events of a delivery, each key once. Resolve once all are stored; throw to have the delivery resent. */
  readonly enqueue: Enqueue;
}

/** The handlers of another kind of receiver. Compilers quote the text, which is not a value, when a receiver gets several. */
type Unset<Names extends string> = {
  readonly [Name in Names]?: 'Set one of onEvent, onEvents and enqueue' | undefined;
};

/** Options of `createReceiver` and of the adapters' handlers: `secret`, and one of `onEvent`, `onEvents` and `enqueue`. */
export type ReceiverOptions<Tx = undefined> = EnqueueOptions<Tx> | OnEventsOptions<Tx> | OnEventOptions<Tx>;
