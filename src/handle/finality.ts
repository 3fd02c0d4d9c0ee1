import { ConfigError } from '../errors.js';
import type { WebhookEvent } from '../events/types.js';
import { checkFunction, optionError } from '../internal/check-options.js';

/** Whether an event may be handled: what a {@link Finality} says of it. */
export type FinalityVerdict =
  /** Its block is final. `isRemoval`: it is a notice that a re-org removed a log, and that removal is final. */
  | { readonly status: 'final'; readonly isRemoval?: boolean | undefined }
  /** Its block is not final yet, or no node could say (`error`). Ask again after `retryAfterMs`. */
  | { readonly status: 'pending'; readonly retryAfterMs: number; readonly error?: Error | undefined }
  /** A final block has taken the place of its block. `isRemoval`: the notice is moot, as the log is on the chain after all. */
  | { readonly status: 'dropped'; readonly isRemoval?: boolean | undefined };

/** Says whether events may be handled: the `finality` option, such as `chainFinality` of `./chain`. */
export interface Finality {
  /**
   * What becomes of a pending event where no queue can delay it: `redelivery` answers 503 with Retry-After, so that the
   * sender has to wait. (Default: a receiver without `enqueue` refuses this `finality`.)
   */
  readonly wait?: 'redelivery' | undefined;
  /**
   * Whether it is known already, without asking, that an event's block is final and the event is not a removal notice. When
   * all events of a delivery are, `check` is not called. Must not throw. (Default: `check` is always called.)
   */
  isFinal?(event: WebhookEvent): boolean;
  /** Returns a verdict for each event, in order. Never rejects: what cannot be found out is pending. */
  check(
    events: readonly WebhookEvent[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly FinalityVerdict[]>;
}

/** What `onDropped` receives with its event. */
export interface DroppedContext {
  /** The event's key, prefixed with the source if there is one. */
  readonly idempotencyKey: string;
  /** The source that the secret function returned with the secret. */
  readonly source?: string | undefined;
}

/** Sees an event whose block is no longer on the chain. Resolve to acknowledge it; throw to have it redelivered. */
export type OnDropped = (event: WebhookEvent, context: DroppedContext) => unknown;

/** How error messages tell to set the key. */
export const LOG_IDENTITY = '`idempotencyKey: (event) => logIdentity(event, { chainId })`';

/** Throws ConfigError unless the options `finality` and `onDropped` can be used together. */
export function checkFinality(finality: Finality | undefined, onDropped: unknown): void {
  if (onDropped !== undefined) checkFunction('onDropped', onDropped);
  if (finality === undefined) {
    if (onDropped !== undefined) throw optionError('onDropped', 'undefined without `finality`', onDropped);
    return;
  }
  if (typeof finality?.check !== 'function')
    throw optionError('finality', 'a Finality, such as the result of chainFinality', finality);
  const { isFinal, wait } = finality;
  if (isFinal !== undefined) checkFunction('finality.isFinal', isFinal);
  if (wait !== undefined && wait !== 'redelivery')
    throw optionError('finality.wait', "'redelivery' or undefined", wait);
}

/** Throws ConfigError if a receiver has nowhere to keep events that wait, or would handle them twice. */
export function checkWaiting({ wait }: Finality, { enqueue, store, idempotencyKey, onDropped }: OtherOptions): void {
  let needs: string | undefined;
  if (idempotencyKey === undefined) {
    needs = `${LOG_IDENTITY}: a block that is put back arrives again under other event ids`;
  } else if (enqueue !== undefined) {
    if (onDropped !== undefined)
      throw optionError('onDropped', 'undefined beside `enqueue`, whose worker takes it', onDropped);
  } else if (store === false) {
    needs = 'a `store`, got false';
  } else if (wait !== 'redelivery') {
    needs =
      "a queue for events that wait: set `enqueue`, and `finality` on the queue's worker. Or set `wait: 'redelivery'` on the finality, if you know how long the sender retries (503)";
  }
  if (needs) throw new ConfigError(`\`finality\` needs ${needs}.`);
}

interface OtherOptions {
  readonly enqueue?: unknown;
  readonly store?: unknown;
  readonly idempotencyKey?: unknown;
  readonly onDropped?: unknown;
}
