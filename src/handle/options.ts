import type { IdempotencyStore } from '../stores/store.js';
import type { Finality } from './before.js';
import type { DeadLetter, DeadLetterLimits } from './dead-letter.js';
import type { IdempotencyKey } from './idempotency-key.js';
import type { Reorgs } from './reorgs.js';
import type { Enqueue, OnEvent, OnEvents, OnInvalid, OnUnknown } from './types.js';

/** Options of a receiver that say what happens to events. */
export interface HandleSettings<Tx = undefined> {
  /**
   * Records which events took effect; `false` turns recording off. Not used with `enqueue`, whose queue deduplicates by
   * key. (Default: `memoryStore()`, which covers one process.)
   */
  readonly store?: IdempotencyStore<Tx> | false | undefined;
  /** The key that identifies an event within its source; not empty. (Default: kind and id, `event.emitted:<id>`.) */
  readonly idempotencyKey?: IdempotencyKey | undefined;
  /** How many calls of `onEvent` one delivery may have at once. (Default: 1, in order.) */
  readonly concurrency?: number | undefined;
  /** How many verified deliveries may be handled at once; more get 503. (Default: 1000.) */
  readonly maxInFlight?: number | undefined;
  /**
   * Time limit for one call of a handler, with the claim of its keys, or of enqueue, in ms; for a handler at most 0.9 of
   * `store.leaseMs`, and less if the host grants less. After it, `signal` is aborted and the sender gets 500. A
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
  /** Called with an item that does not match the event schema. (Default: the delivery gets 422.) */
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

/** The options that have a value once they are resolved. */
type Resolved = 'store' | 'idempotencyKey' | 'concurrency' | 'maxInFlight' | 'handlerTimeoutMs';

/** The same options and the handlers, complete and checked. */
export type HandleOptions<Tx> = HandleSettings<Tx> & {
  readonly [Name in Resolved]-?: NonNullable<HandleSettings<Tx>[Name]>;
} & {
  readonly onEvent?: OnEvent<Tx> | undefined;
  readonly onEvents?: OnEvents<Tx> | undefined;
  readonly enqueue?: Enqueue | undefined;
  readonly onReverted?: OnEvent<Tx> | undefined;
  readonly onRevertedEvents?: OnEvents<Tx> | undefined;
};
