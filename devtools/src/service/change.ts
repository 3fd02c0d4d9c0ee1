import type { Attempt } from './attempt.js';
import type { DeliveryState } from './delivery.js';
import type { Calls, CreatedWebhook } from './webhook.js';

/** Events that are sent together, and the deliveries that carry them: one for each webhook. */
export interface Batch {
  readonly body: Uint8Array;
  readonly events: number;
  /** Whether its deliveries are tried only once. */
  readonly once?: true | undefined;
  readonly to: readonly { readonly id: number; readonly webhookId: number; readonly firstEvent: number }[];
}

/** Events that were accepted for delivery. */
export interface Emitted {
  readonly type: 'emitted';
  /** Unix milliseconds. */
  readonly at: number;
  readonly batches: readonly Batch[];
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
