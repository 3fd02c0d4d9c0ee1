import type { EventItem } from '../events/parse-delivery.js';
import type { WebhookEvent } from '../events/types.js';
import type { LogStore } from '../stores/log-store.js';
import type { EventOutcome } from './answer.js';
import type { Before } from './before.js';
import type { AboutDelivery } from './context.js';
import type { IdempotencyKey } from './idempotency-key.js';
import type { LogOf } from './once.js';
import type { HandleEach } from './run-each.js';
import type { ReorgReport } from './tracing.js';
import type { Afterwards } from './types.js';

/** Options of `settleReorgs`. */
export interface SettleOptions {
  /** Ends the pass between two events. */
  readonly signal?: AbortSignal | undefined;
}

/** The option `reorgs`: makes the effects of events follow a chain. `chainReorgs` of `./chain` creates one. */
export interface Reorgs {
  /** The default of the receiver's `idempotencyKey`, and the only key that it may return. */
  readonly idempotencyKey: IdempotencyKey;
  readonly logOf: LogOf;
  /** Called once by a receiver. */
  follow(receiver: FollowedReceiver): Following;
}

/** The parts of a receiver whose effects follow a chain. */
export interface FollowedReceiver extends Pick<Afterwards, 'report'> {
  readonly logs: LogStore;
  /** Call the handlers for events that are applied and reverted. */
  readonly apply: HandleEach;
  readonly revert: HandleEach;
  /** Records a step without calling a handler. */
  readonly keep: HandleEach;
  /** Counts passes as work in flight, and refuses them once it is closed. */
  readonly gate: { readonly isClosed: boolean; check(): void; wait(work: Promise<unknown>): void };
  /** Receives the report of each pass. */
  settled(report: ReorgReport): void;
}

/** The effects of a receiver that follow a chain. */
export interface Following {
  /** Decides which events of a delivery are not applied. */
  readonly before: Before;
  /** Retries a dead letter in the direction that the chain now demands. */
  retry(item: EventItem, idempotencyKey: string, about: AboutDelivery): Promise<EventOutcome>;
  /** Runs one pass. */
  settle(options?: SettleOptions): Promise<ReorgReport>;
  /** Looks at the block of a duplicate soon: its log may have been reverted. */
  hint(event: WebhookEvent): void;
}
