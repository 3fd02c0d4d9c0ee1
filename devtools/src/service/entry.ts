import type { Attempt } from './attempt.js';
import type { DeliveryState } from './delivery.js';
import type { Calls, WebhookWithSecret } from './webhook.js';

/** Events that go out together, and the deliveries they go out with: one for each webhook. */
export interface Batch {
  readonly body: string;
  readonly events: number;
  readonly to: readonly { readonly id: number; readonly webhookId: number; readonly firstEvent: number }[];
}

/** How far a delivery has come. */
export interface Progress {
  readonly type: 'progress';
  readonly id: number;
  readonly webhookId: number;
  /** Attempts that are new. */
  readonly attempts: readonly Attempt[];
  readonly failures: number;
  readonly state: DeliveryState;
  readonly deliveredAt?: number | undefined;
  readonly nextAttemptAt?: number | undefined;
  readonly calls?: Calls | undefined;
}

/** One change of the state; a line of the journal. Replaying them in order gives the state again. */
export type Entry =
  | { readonly type: 'key'; readonly key: string }
  | { readonly type: 'counters'; readonly webhook: number; readonly delivery: number; readonly event: number }
  | { readonly type: 'webhook'; readonly webhook: WebhookWithSecret }
  | { readonly type: 'removed'; readonly id: number }
  | { readonly type: 'emitted'; readonly at: number; readonly batches: readonly Batch[] }
  | Progress;
