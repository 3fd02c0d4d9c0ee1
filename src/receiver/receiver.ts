import { ConfigError } from '../errors.js';
import type { DeliveryItem } from '../events/parse-delivery.js';
import { answerToAll, type DeliveryResult } from '../handle/answer.js';
import { type AboutDelivery, receivedIn } from '../handle/context.js';
import { letFinish } from '../handle/deadline.js';
import { createDispatch } from '../handle/dispatch.js';
import type { SettleOptions } from '../handle/reorgs.js';
import type { ReorgReport } from '../handle/tracing.js';
import type { Afterwards } from '../handle/types.js';
import { hasMethods } from '../internal/check-client.js';
import { type DrainOptions, drain } from '../receive/drain.js';
import { createGate } from '../receive/gate.js';
import { createReceive, type Take } from '../receive/receive.js';
import type { DeliveryRequest, SignedRequest } from '../receive/request.js';
import { createDeadLetters, type DeadLetters } from './dead-letters.js';
import type { ReceiverOptions } from './options.js';
import { createOwnEvents, type OwnEvents } from './own-events.js';
import { createReporter } from './reporter.js';
import { resolveReceiverOptions } from './resolve-options.js';

/** Receives deliveries: verifies, parses, runs your code once per event, and returns the answer. */
export interface Receiver extends OwnEvents {
  /** The events whose handler failed for good. */
  readonly deadLetters: DeadLetters;
  /** Handles a delivery whose parts you have. Never rejects. */
  handle(delivery: SignedRequest): Promise<DeliveryResult>;
  /** Handles an HTTP request; what adapters call. Never rejects. */
  handleRequest(request: DeliveryRequest): Promise<DeliveryResult>;
  /**
   * One pass over the events whose block is not final, with `reorgs`: reverts those whose block left the chain, from the
   * highest block down, then applies those whose block returned. A receiver runs passes at intervals; call it from
   * cron where nothing runs between requests. Replicas may call it at once: one of them works. Rejects with
   * `ERR_WEBHOOK_STORE` if the store fails, `ERR_WEBHOOK_DRAINING` while the receiver drains, ConfigError without `reorgs`.
   */
  settleReorgs(options?: SettleOptions): Promise<ReorgReport>;
  /**
   * Answers 503 from now on; deliveries that are arriving get 5 s. Resolves when no handler is running and no record of
   * the store is pending. Timed-out handlers and store calls count too, until they have hung for over a minute and over two
   * `handlerTimeoutMs`. After `timeoutMs` it resolves with the number of those left: then exit without closing
   * resources that running handlers still use.
   */
  drain(options?: DrainOptions): Promise<{ unfinished: number }>;
}

/**
 * Creates a receiver: verifies, then parses, then runs your code exactly once per event (spec sections 5.2 and 6). No
 * event is acknowledged before it took effect. The `store` defines the scope of exactly-once: the default,
 * `memoryStore()`, covers one process. A lease store repeats an effect if the process dies before its record, or if a
 * handler outlives its lease; a transactional store does not.
 *
 * @example
 * ```ts
 * import { createReceiver } from 'event-webhook-receiver';
 *
 * const receiver = createReceiver({
 *   secret: process.env.WEBHOOK_SECRET ?? '',
 *   onEvent: async (event) => console.log(event.event, event.id),
 * });
 * ```
 * @param options `secret` and one of `onEvent`, `onEvents` and `enqueue` are required.
 * @returns A receiver, to call directly or to pass to an adapter such as `expressHandler`.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is missing, unknown or invalid.
 */
export function createReceiver<Tx = undefined>(options: ReceiverOptions<Tx>): Receiver {
  const resolved = resolveReceiverOptions(options);
  const gate = createGate(resolved.maxInFlight, resolved.handlerTimeoutMs);
  const reporter = createReporter(resolved);
  const receive = createReceive(resolved, gate, reporter.failed);
  const afterwards: Afterwards = {
    hold(work, host) {
      letFinish(host, work);
      gate.hold(work, host);
    },
    report: reporter.failed,
    deadLetter: reporter.deadLetter,
  };
  const { dispatch, following } = createDispatch(resolved, afterwards, { gate, settled: reporter.settled });

  async function handle(items: readonly DeliveryItem[], about: AboutDelivery): Promise<DeliveryResult> {
    gate.enter();
    try {
      const outcomes = await dispatch(items, about);
      const result = answerToAll(outcomes);
      reporter.answered(result);
      return result;
    } finally {
      gate.leave();
    }
  }

  const take: Take<DeliveryResult> = ({ rawBody, items, source, timestamp }, host) => {
    const asReceived = resolved.deadLetters && receivedIn(rawBody, items);
    return handle(items, { source, timestamp, via: 'webhook', host, asReceived });
  };

  /** Handles events that did not arrive in a delivery. */
  async function handleOwn(items: readonly DeliveryItem[], about: AboutDelivery): Promise<DeliveryResult> {
    gate.check();
    return handle(items, about);
  }

  return {
    ...createOwnEvents(resolved, receive.refuse, handleOwn),
    deadLetters: createDeadLetters(resolved.store, handleOwn),
    async settleReorgs(settleOptions) {
      if (!following) throw new ConfigError('`settleReorgs` needs the option `reorgs`.');
      return following.settle(settleOptions);
    },
    handle: (delivery) => receive.handle(delivery, take),
    handleRequest: (request) => receive.handleRequest(request, take),
    drain: (drainOptions) => drain({ gate, arrivals: receive.arrivals, store: resolved.store }, drainOptions),
  };
}

/** The receiver passed to an adapter, or one created from the options passed. */
export function asReceiver<Tx>(receiverOrOptions: Receiver | ReceiverOptions<Tx>): Receiver {
  return hasMethods<Receiver>(receiverOrOptions, 'handleRequest')
    ? receiverOrOptions
    : createReceiver(receiverOrOptions);
}
