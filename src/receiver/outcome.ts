import type { WebhookError } from '../errors.js';
import type { DeliveryItem } from '../events/parse-delivery.js';

/** What became of one item of a delivery. With `error`, it was not acknowledged and is expected again. */
export interface EventOutcome {
  /**
   * `handled`: the handler resolved. `stored`: the enqueue resolved. `duplicate`: it had taken effect before.
   * `in-progress`: somebody else is at it. `failed`: the handler, the enqueue or the store failed.
   * `unknown` and `invalid`: no event of a kind known here.
   */
  readonly status: 'handled' | 'stored' | 'duplicate' | 'in-progress' | 'failed' | 'unknown' | 'invalid';
  readonly item: DeliveryItem;
  readonly idempotencyKey?: string | undefined;
  readonly error?: WebhookError | undefined;
}
