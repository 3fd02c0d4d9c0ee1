import type { Attempt } from './attempt.js';
import type { Delivery, DeliveryState } from './delivery.js';
import type { Calls, CreatedWebhook } from './webhook.js';

/** Deliveries that were accepted, with ascending ids from the next one on. */
export interface Emitted {
  readonly type: 'emitted';
  readonly deliveries: readonly Delivery[];
}

/** The new status of a delivery. */
export interface Progress {
  readonly type: 'progress';
  readonly id: number;
  readonly webhookId: number;
  /** Attempts to add to those already recorded. */
  readonly attempts: readonly Attempt[];
  readonly failures: number;
  readonly state: DeliveryState;
  readonly deliveredAt?: number | undefined;
  readonly nextAttemptAt?: number | undefined;
  readonly calls?: Calls | undefined;
}

/** One change of the state: stored in one transaction. */
export type Change =
  | { readonly type: 'key'; readonly key: string }
  | { readonly type: 'webhook'; readonly webhook: CreatedWebhook }
  | { readonly type: 'removed'; readonly id: number }
  | Emitted
  | Progress;
