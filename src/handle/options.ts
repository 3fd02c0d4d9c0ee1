import type { IdempotencyStore } from '../stores/store.js';
import type { Finality } from './before.js';
import type { DeadLetterLimits } from './dead-letter.js';
import type { IdempotencyKey } from './idempotency-key.js';
import type { Reorgs } from './reorgs.js';
import type { Enqueue, OnEvent, OnEvents, OnInvalid, OnUnknown } from './types.js';

/** The options of a receiver that say what happens to events, complete and checked. */
export interface HandleOptions<Tx> {
  readonly onEvent: OnEvent<Tx> | undefined;
  readonly onEvents: OnEvents<Tx> | undefined;
  readonly enqueue: Enqueue | undefined;
  readonly onInvalid: OnInvalid | undefined;
  readonly onUnknown: OnUnknown | undefined;
  readonly finality: Finality | undefined;
  readonly reorgs: Reorgs | undefined;
  readonly onReverted: OnEvent<Tx> | undefined;
  readonly onRevertedEvents: OnEvents<Tx> | undefined;
  readonly deadLetters: DeadLetterLimits | undefined;
  readonly store: IdempotencyStore<Tx> | false;
  readonly idempotencyKey: IdempotencyKey;
  readonly concurrency: number;
  readonly maxInFlight: number;
  readonly handlerTimeoutMs: number;
}
