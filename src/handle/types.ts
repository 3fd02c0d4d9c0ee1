import type { DeliveryItem, InvalidItem, UnknownItem } from '../events/parse-delivery.js';
import type { WebhookEvent } from '../events/types.js';
import type { RawBody } from '../signature/verify-signature.js';
import type { HandlerResult } from '../stores/store.js';
import type { DeadLetter } from './dead-letter.js';
import type { HostGrants } from './deadline.js';

/** An authentic delivery, parsed. */
export interface VerifiedDelivery {
  /** The bytes that were verified. */
  readonly rawBody: RawBody;
  /** Unix seconds as text. */
  readonly timestamp: string;
  /** The source that the secret function returned with the secret. */
  readonly source?: string | undefined;
  readonly items: DeliveryItem[];
}

/** The subject of a failure after verification. */
export interface ItemContext {
  /** The item; for the error about all invalid items of a delivery, the first of them. */
  readonly item?: DeliveryItem | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** What `onEvents` receives with its events. An ordinary object: `{ ...context }` keeps everything. */
export interface EventsContext<Tx = undefined> {
  /** The source that the secret function returned with the secret. */
  readonly source?: string | undefined;
  /**
   * Aborted when the handler's time is over: `handlerTimeoutMs` from before the claim of its keys, or less if the host
   * grants less. The event then counts as failed and will be handled again. Pass the signal on. It depends on a timer,
   * which may be late in a process that was frozen: call `throwIfExpired` before each effect.
   */
  readonly signal: AbortSignal;
  /** When the handler's time is over, in epoch milliseconds. */
  readonly deadline: number;
  /**
   * Throws `ERR_WEBHOOK_HANDLER_TIMEOUT` once the handler's time is over. Reads the clocks, so it also works after the process
   * was frozen, when another replica may have taken over.
   */
  readonly throwIfExpired: () => void;
  /** A number that grows with each claim of a key, to fence effects elsewhere; absent if the store has none. */
  readonly fencingToken?: bigint | undefined;
  /** The delivery's timestamp: Unix seconds as text. */
  readonly timestamp: string;
  /**
   * How the event arrived: `webhook` in a delivery, `retry` as a dead letter, `reorg` when its block returned to the
   * chain or left it; otherwise `via` of `handleEvents`.
   */
  readonly via?: string | undefined;
  /** With `reorgs`: how often the event was applied, this application or the reverted one included. Starts at 1. */
  readonly application?: number | undefined;
  /** The open transaction of a transactional store. */
  readonly tx: Tx;
}

/** What a handler receives with its event. An ordinary object: `{ ...context }` keeps everything. */
export interface EventContext<Tx = undefined> extends EventsContext<Tx> {
  /** Identifies the event: the result of `idempotencyKey(event)`, prefixed with the source if there is one. */
  readonly idempotencyKey: string;
}

/** Handles one event. Resolve once it took effect; throw to have the event redelivered. */
export type OnEvent<Tx = undefined> = (event: WebhookEvent, context: EventContext<Tx>) => HandlerResult<Tx>;

/** An event with its idempotency key. */
export interface EventEntry {
  readonly event: WebhookEvent;
  /** Unique per event and source: the result of `idempotencyKey(event)`, prefixed with the source if there is one. */
  readonly idempotencyKey: string;
}

/**
 * Handles the events of a delivery that have not taken effect, in their order, each key once. Resolve once all took effect;
 * throw to have them redelivered.
 */
export type OnEvents<Tx = undefined> = (
  entries: readonly EventEntry[],
  context: EventsContext<Tx>,
) => HandlerResult<Tx>;

/**
 * What `enqueue` receives with the events of a delivery. `signal` is aborted at `deadline`, when `handlerTimeoutMs` or the
 * host's time is over; the delivery then gets 503.
 */
export interface EnqueueContext extends Pick<EventsContext, 'signal' | 'timestamp' | 'source' | 'via'> {
  readonly deadline?: number | undefined;
  /** Set when the receiver has `finality`: the queue's worker must check finality before it handles the events. */
  readonly needsFinality?: true | undefined;
}

/** Stores the events of a delivery durably. Resolve once all are stored; throw to have the delivery sent again. */
export interface Enqueue {
  (entries: readonly EventEntry[], context: EnqueueContext): unknown;
  /** How long the queue remembers the key of an event that took effect, in ms. (Default: unknown.) */
  readonly retentionMs?: number | undefined;
}

/** Called with an item that does not match the event schema. Resolve to acknowledge it; throw for a redelivery. */
export type OnInvalid = (item: InvalidItem) => unknown;

/** Called with an item of an unknown kind. Resolve to acknowledge the item; throw to have it redelivered. */
export type OnUnknown = (item: UnknownItem) => unknown;

/** Handles work that continues after an event was answered. */
export interface Afterwards {
  /** Takes user code and store calls that take longer than their time. They occupy a place until they settle. */
  hold(settled: Promise<unknown>, host?: HostGrants): void;
  /** Reports failures after the answer, and events that a route skipped. */
  report(error: unknown, context: ItemContext): void;
  /** Reports a new dead letter. */
  deadLetter(letter: DeadLetter): void;
}
