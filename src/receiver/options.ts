import type { WebhookError } from '../errors.js';
import type { WebhookEvent } from '../events/types.js';
import type { Finality } from '../handle/before.js';
import type { DeadLetter, DeadLetterLimits } from '../handle/dead-letter.js';
import type { Reorgs } from '../handle/reorgs.js';
import type { Enqueue, OnEvent, OnEvents, OnInvalid, OnUnknown } from '../handle/types.js';
import type { Logger } from '../internal/logger.js';
import type { ErrorContext } from '../receive/request.js';
import type { Secret, SecretFunction } from '../receive/secret.js';
import type { HeaderNames } from '../signature/headers.js';
import type { IdempotencyStore } from '../stores/store.js';

/** Called for every refusal and failure. Not awaited; what it throws is ignored. */
export type OnError = (error: WebhookError, context: ErrorContext) => unknown;

/** Options of `createVerifier` and of the adapters' verifiers. */
export interface VerifierOptions {
  /** The webhook's signing secret, several during rotation, or a function that finds the secret for a request. */
  readonly secret: Secret | SecretFunction;
  /** Names of the two signature headers. (Default: `serviceHeaders`.) */
  readonly headers?: HeaderNames | undefined;
  /**
   * Largest difference between a delivery's timestamp and the clock, in seconds, in either direction; `false` allows any.
   * Set `false` if your sender resends the first timestamp on retries. (Default: 300.)
   */
  readonly toleranceSeconds?: number | false | undefined;
  /** Largest body, in bytes; larger ones are answered 413. (Default: 10 MiB.) */
  readonly maxBodyBytes?: number | undefined;
  /** Largest number of items in a delivery; deliveries with more are answered 413. (Default: 10 000.) */
  readonly maxEvents?: number | undefined;
  /**
   * How many deliveries may be arriving at once; those whose secret is being looked up do not count. Beyond that, the
   * oldest delivery of the connection with the most deliveries is answered 503. (Default: 1000.)
   */
  readonly maxArriving?: number | undefined;
  /**
   * How many bytes of arriving deliveries are kept at once, counted as received. Beyond that, the oldest delivery of
   * the connection with the most deliveries is answered 503; or the new one, if it does not fit beside deliveries whose
   * secret is being looked up. At least `maxBodyBytes`. (Default: 64 MiB.)
   */
  readonly maxArrivingBytes?: number | undefined;
  /**
   * How many look-ups of an async secret function may run at once; then new deliveries are answered 503. (Default:
   * 100.)
   */
  readonly maxLookUps?: number | undefined;
  /** Time limit for a body to arrive, and for an async secret function, in ms; then 503. (Default: 30 000.) */
  readonly receiveTimeoutMs?: number | undefined;
  /** Clock used to check `toleranceSeconds`, in epoch milliseconds. (Default: `Date.now`.) */
  readonly now?: (() => number) | undefined;
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
export interface ReceiverSettings<Tx = undefined> extends VerifierOptions {
  /**
   * Records which events took effect; `false` turns recording off. Not used with `enqueue`, whose queue deduplicates by
   * key. (Default: `memoryStore()`, which covers one process.)
   */
  readonly store?: IdempotencyStore<Tx> | false | undefined;
  /** The key that identifies an event within its source; not empty. (Default: kind and id, `event.emitted:<id>`.) */
  readonly idempotencyKey?: ((event: WebhookEvent) => string) | undefined;
  /** How many calls of `onEvent` one delivery may have at once. (Default: 1, in order.) */
  readonly concurrency?: number | undefined;
  /** How many verified deliveries may be handled at once; more are answered 503. (Default: 1000.) */
  readonly maxInFlight?: number | undefined;
  /**
   * Time limit for one call of a handler, with the claim of its keys, or of enqueue, in ms; for a handler at most 0.9 of
   * `store.leaseMs`, and less if the host grants less. After it, `signal` is aborted and the sender is answered 500. A
   * handler that still runs keeps its key until it settles or the store's lease ends, and counts in `maxInFlight` until it
   * settles, at most for another two `handlerTimeoutMs`. (Default: 30 000.)
   */
  readonly handlerTimeoutMs?: number | undefined;
  /**
   * Acknowledges an event whose handler fails for good, and keeps it in the store as a dead letter: once the handler
   * has failed `afterAttempts` times and for `afterSeconds`, or at once when it throws a NonRetryableError. A dead
   * letter holds its key until you call `deadLetters.retry` or `.discard` of the receiver. `{}` means 8 attempts and an
   * hour. Requires a store that keeps dead letters, as those of this package do. (Default: off; the event fails until
   * its sender gives up.)
   */
  readonly deadLetters?: DeadLetterLimits | undefined;
  /** Called with each new dead letter. Not awaited; what it throws is ignored. Requires `deadLetters`. */
  readonly onDeadLetter?: ((letter: DeadLetter) => unknown) | undefined;
  /** Called with an item that does not match the event schema. (Default: the delivery is answered 422.) */
  readonly onInvalid?: OnInvalid | undefined;
  /** Called with an item of a kind that this version does not know. (Default: it is acknowledged.) */
  readonly onUnknown?: OnUnknown | undefined;
  /**
   * Checks whether an event's block is final before the event is handled: `chainFinality` of `./chain`. Requires
   * `idempotencyKey`, and without `enqueue` also `wait: 'redelivery'` in the options of `chainFinality`. With
   * `enqueue`, events are stored at once: give the worker the same `finality`, or it refuses them. (Default: events are
   * handled when they arrive.)
   */
  readonly finality?: Finality | undefined;
  /**
   * Makes effects follow the chain: `chainReorgs` of `./chain`. An event is handled at once; when its block leaves the
   * chain, `onReverted` gets it, and when the block returns, it is handled again. Requires a store that keeps logs:
   * `sqlStore` with `transactional`, or `memoryStore` in tests. It sets `idempotencyKey`. Not with `finality` or
   * `enqueue`. (Default: a re-org changes nothing.)
   */
  readonly reorgs?: Reorgs | undefined;
}

/** Options of a receiver that passes each event of a delivery to `onEvent`. */
export interface OnEventOptions<Tx = undefined> extends ReceiverSettings<Tx> {
  /** Handles one event. Resolve once it took effect; throw to have the event redelivered. */
  readonly onEvent: OnEvent<NoInfer<Tx>>;
  /**
   * Undoes the effect of an event whose block left the chain, in the transaction of the store. Gets the event as it was
   * applied. If it throws, the event is tried again. Required with `reorgs`.
   */
  readonly onReverted?: OnEvent<NoInfer<Tx>> | undefined;
  readonly onRevertedEvents?: undefined;
  readonly onEvents?: OneHandler | undefined;
  readonly enqueue?: OneHandler | undefined;
}

/** Options of a receiver that passes the events of a delivery to `onEvents` at once. */
export interface OnEventsOptions<Tx = undefined> extends ReceiverSettings<Tx> {
  /**
   * Handles the events of a delivery that have not taken effect, in their order, each key once; in one transaction if
   * the store has one. Resolve once all took effect. If it throws, all of them fail; with a transactional store they
   * are first retried in halves, so that one failing event does not block the others.
   */
  readonly onEvents: OnEvents<NoInfer<Tx>>;
  /** Undoes the effects of events of one block that left the chain, the last event first. Required with `reorgs`. */
  readonly onRevertedEvents?: OnEvents<NoInfer<Tx>> | undefined;
  readonly onReverted?: undefined;
  readonly onEvent?: OneHandler | undefined;
  readonly enqueue?: OneHandler | undefined;
}

/** Options of a receiver that passes all events of a delivery to `enqueue` at once. */
export interface EnqueueOptions<Tx = undefined> extends ReceiverSettings<Tx> {
  /** Stores the valid events of a delivery, each key once. Resolve once all are stored; throw to have the delivery resent. */
  readonly enqueue: Enqueue;
  readonly onReverted?: undefined;
  readonly onRevertedEvents?: undefined;
  readonly onEvent?: OneHandler | undefined;
  readonly onEvents?: OneHandler | undefined;
}

/** Not a value: compilers quote this text when a receiver gets several handlers. */
type OneHandler = 'Set one of onEvent, onEvents and enqueue';

/** Options of `createReceiver` and of the adapters' handlers: `secret`, and one of `onEvent`, `onEvents` and `enqueue`. */
export type ReceiverOptions<Tx = undefined> = EnqueueOptions<Tx> | OnEventsOptions<Tx> | OnEventOptions<Tx>;
