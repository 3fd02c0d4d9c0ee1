import { ConfigError } from '../errors.js';
import type { EventEmitted, EventKind, WebhookEvent } from '../events/types.js';
import { contextOf } from '../handle/context.js';
import type { EventContext, OnEvents } from '../handle/types.js';
import { isThenable } from '../internal/guards.js';
import type { HandlerResult } from '../stores/store.js';
import { type EventFilter, type EventMatcher, Routes } from './routes.js';

/** Handles an event, or the value that a matcher selected. Resolve once it took effect; throw to have it redelivered. */
export type RouteHandler<Given, Tx = undefined> = (given: Given, context: EventContext<Tx>) => HandlerResult<Tx>;

/** The route's type; for a misspelt kind the two valid kinds, which the compiler then names. */
type KnownRoute<Route> = Route extends EventMatcher<unknown> | EventKind ? Route : EventKind;

/** What the handler of a route receives. */
type GivenBy<Route> = Route extends EventKind
  ? Extract<WebhookEvent, { event: Route }>
  : Route extends { select: (...args: never) => infer Selected }
    ? Exclude<Selected, undefined>
    : WebhookEvent;

/** Passes each event to one handler. Created by {@link createRouter}. */
export interface Router<Tx = undefined> {
  /**
   * Adds a route for a kind of event, for the `event.emitted` that match a filter, or for a matcher.
   *
   * @returns The same router.
   * @throws ConfigError `ERR_WEBHOOK_CONFIG` when the route already exists or is invalid.
   */
  on<Route extends string | EventMatcher<unknown>>(
    route: KnownRoute<Route>,
    handler: RouteHandler<GivenBy<Route>, Tx>,
  ): Router<Tx>;
  on(kind: 'event.emitted', filter: EventFilter, handler: RouteHandler<EventEmitted, Tx>): Router<Tx>;
  /**
   * Adds the handler that undoes a route, for a receiver with `reorgs`: it gets the event or value that the handler of
   * `on` got.
   *
   * @returns The same router.
   * @throws ConfigError `ERR_WEBHOOK_CONFIG` when the route already exists or is invalid.
   */
  onReverted<Route extends string | EventMatcher<unknown>>(
    route: KnownRoute<Route>,
    handler: RouteHandler<GivenBy<Route>, Tx>,
  ): Router<Tx>;
  onReverted(kind: 'event.emitted', filter: EventFilter, handler: RouteHandler<EventEmitted, Tx>): Router<Tx>;
  /** Sets the handler that undoes `otherwise`. */
  otherwiseReverted(handler: RouteHandler<WebhookEvent, Tx>): Router<Tx>;
  /**
   * Sets the handler for events without a route. Without this handler, these events are acknowledged; throw in it to
   * have them redelivered.
   *
   * @returns The same router.
   * @throws ConfigError `ERR_WEBHOOK_CONFIG` when it is already set.
   */
  otherwise(handler: RouteHandler<WebhookEvent, Tx>): Router<Tx>;
  /** The `onEvent` for a receiver or a worker. Returns what the handler returns, and throws what it throws. */
  readonly dispatch: RouteHandler<WebhookEvent, Tx>;
  /**
   * The `onEvents` for a receiver: gives each event to its route, in order, with the shared context and its own
   * `idempotencyKey`. Stops at the first event that fails, so use it with a transactional store, which then rolls back
   * all of them.
   */
  readonly dispatchAll: OnEvents<Tx>;
  /**
   * The `onReverted` for a receiver with `reorgs`. Throws ConfigError when it is read before each route of `on`, and
   * `otherwise`, has its counterpart.
   */
  readonly dispatchReverted: RouteHandler<WebhookEvent, Tx>;
  /** The `onRevertedEvents` beside `dispatchAll`. Throws like `dispatchReverted`. */
  readonly dispatchAllReverted: OnEvents<Tx>;
}

/**
 * Creates a router, which passes each event to exactly one handler: that of the most specific route. It does not check
 * events: pass it those of a receiver or a parser.
 *
 * A route with a name takes precedence; then one with an address; then one with a contract label; then the route of the
 * kind; then `otherwise`. Among routes with the same filter, matchers come first, in the order of registration. An event
 * without a route is acknowledged if there is no `otherwise`, as the service sends the events of every contract. For
 * `context.tx` of a transactional store, name its type: `createRouter<PoolClient>()`.
 *
 * @example
 * ```ts
 * import { createReceiver, createRouter } from 'event-webhook-receiver';
 *
 * const address = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
 * const router = createRouter()
 *   .on('event.emitted', { name: 'Transfer', address }, async (event) => console.log(event.data.event.inputs))
 *   .on('transaction.included', async (event) => console.log(event.data.status))
 *   .otherwise((event) => console.warn('no route', event.id));
 *
 * const receiver = createReceiver({ secret: process.env.WEBHOOK_SECRET ?? '', onEvent: router.dispatch });
 * ```
 * @returns A router without routes.
 */
export function createRouter<Tx = undefined>(): Router<Tx> {
  const applied = new Routes<Tx>('on');
  const reverted = new Routes<Tx>('onReverted');

  /** The routes that undo, once there is one for each route. */
  function undoing(): Routes<Tx> {
    const missing = applied.missingIn(reverted);
    if (missing === undefined) return reverted;
    const method = missing === 'otherwise' ? 'otherwiseReverted' : 'onReverted';
    throw new ConfigError(`The route ${missing} has no handler that undoes it. Add one with \`${method}\`.`);
  }

  /** Returns a method that adds a route, and returns the router. */
  const adding =
    (add: (...route: unknown[]) => void) =>
    (...route: unknown[]) => {
      add(...route);
      return router;
    };

  const router: Router<Tx> = {
    on: adding(applied.add),
    onReverted: adding(reverted.add),
    otherwise: adding(applied.otherwise),
    otherwiseReverted: adding(reverted.otherwise),
    dispatch: applied.dispatch,
    dispatchAll: inOrder(applied.dispatch),
    get dispatchReverted() {
      return undoing().dispatch;
    },
    get dispatchAllReverted() {
      return inOrder(undoing().dispatch);
    },
  };
  return router;
}

/** Gives events to their routes, one after the other. */
function inOrder<Tx>(dispatch: RouteHandler<WebhookEvent, Tx>): OnEvents<Tx> {
  return (entries, context) => {
    // A promise only if a route returns one: some transactions are synchronous.
    let done: unknown;
    for (const { event, idempotencyKey } of entries) {
      const next = () => dispatch(event, contextOf(context, idempotencyKey) as EventContext<Tx>);
      done = isThenable(done) ? Promise.resolve(done).then(next) : next();
    }
    return (isThenable(done) ? done : undefined) as HandlerResult<Tx>;
  };
}
