import { ConfigError, type WebhookError } from '../errors.js';
import type { EventEmitted, EventKind, WebhookEvent } from '../events/types.js';
import { contextOf, reportTo } from '../handle/context.js';
import type { EventContext, OnEvents } from '../handle/types.js';
import { hasMethods } from '../internal/check-client.js';
import { checkOptions, optionError } from '../internal/check-options.js';
import { ignorePromise, isThenable } from '../internal/guards.js';
import type { HandlerResult } from '../stores/store.js';

/** Selects the `event.emitted` that match all given keys. At least one key is required. */
export interface EventFilter {
  /** Name of the event without its types, such as `Transfer`; compared with `data.event.name`. (Default: any.) */
  readonly name?: string;
  /** Address of the contract: 0x and 40 hex digits in any case; its checksum is not verified. (Default: any.) */
  readonly address?: string;
  /** Label of the contract, not of its address; compared with `data.event.contract.label`. (Default: any.) */
  readonly contractLabel?: string;
}

/** A route for `event.emitted` that decides by more than a filter, and passes its handler a value made from the event. */
export interface EventMatcher<Selected> {
  /** The events to call `select` for. (Default: all.) */
  readonly filter?: EventFilter | undefined;
  /**
   * Returns the value for the handler, or `undefined` if the event is not for it. It must be synchronous. If it throws, the
   * event fails; an error passed to `report` reaches the receiver's `onError` and `logger` without failing the event.
   */
  readonly select: (event: EventEmitted, report?: (error: WebhookError) => void) => Selected | undefined;
}

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
}

/** The valid values of each key of a filter. */
const PARTS = {
  name: { form: /^[^(]+$/, takes: 'a name without types' },
  address: { form: /^0x[\dA-Fa-f]{40}$/, takes: '0x and 40 hex digits' },
  contractLabel: { form: /./s, takes: 'a non-empty string' },
};

/** The handler of a route; the signatures of `on` type its event. */
type Handle<Tx> = (given: never, context: EventContext<Tx>) => unknown;

interface Route<Tx> {
  readonly kind: string;
  readonly filter: EventFilter;
  /** Kind and filter as text. */
  readonly place: string;
  readonly matcher: EventMatcher<unknown>;
  readonly handler: Handle<Tx>;
  /** Routes of higher rank are asked first. */
  readonly rank: number;
}

/** The matcher of a route that has none. */
const itself: EventMatcher<EventEmitted> = { select: (event) => event };

/** Whether an event matches a route. Reads only the fields that the route compares. */
function isFor<Tx>({ kind, filter }: Route<Tx>, { event, data }: EventEmitted): boolean {
  const { name, address, contractLabel } = filter;
  return (
    event === kind &&
    (name === undefined || name === data.event.name) &&
    (address === undefined || address === data.event.contract.address.toLowerCase()) &&
    (contractLabel === undefined || contractLabel === data.event.contract.label)
  );
}

/** Returns the filter with its address in lower case. Rejects an unset value, with which it would match too much. */
function checkedFilter(filter: unknown): EventFilter {
  checkOptions('filter', filter, Object.keys(PARTS));
  const checked: Record<string, string> = {};
  for (const [part, { form, takes }] of Object.entries(PARTS)) {
    if (!Object.hasOwn(filter as EventFilter, part)) continue;
    const value: unknown = (filter as EventFilter)[part as keyof EventFilter];
    if (typeof value !== 'string' || !form.test(value)) throw optionError(`filter.${part}`, takes, value);
    checked[part] = part === 'address' ? value.toLowerCase() : value;
  }
  if (Object.keys(checked).length > 0) return checked;
  throw new ConfigError('A filter needs at least one of `name`, `address` and `contractLabel`.');
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
  /** The most specific first; of equal rank in the order of registration. */
  const routes: Route<Tx>[] = [];
  let fallback: Handle<Tx> | undefined;

  /** Rejects a handler that is not a function, and a second one for the same route. */
  function checkHandler(handler: unknown, isTaken: boolean, route: string): asserts handler is Handle<Tx> {
    if (typeof handler !== 'function') throw optionError(`handler of ${route}`, 'a function', handler);
    if (isTaken) throw new ConfigError(`The route ${route} already has a handler. Remove one of them.`);
  }

  const router: Router<Tx> = {
    on(first: unknown, ...rest: unknown[]) {
      const handler = rest.pop();
      const matcher = hasMethods<EventMatcher<unknown>>(first, 'select') ? first : itself;
      const kind = matcher === itself ? first : 'event.emitted';
      // A filter that is present but undefined is a mistake: it must not match the whole kind.
      const filters = matcher.filter === undefined ? rest : [...rest, matcher.filter];
      const isKnown = kind === 'event.emitted' || (kind === 'transaction.included' && filters.length === 0);
      if (!isKnown || filters.length > 1) {
        throw new ConfigError(
          "`on` takes 'event.emitted' with an optional filter, 'transaction.included', or a matcher, and then a handler.",
        );
      }
      const [filter = {}] = filters.map(checkedFilter);
      const { name, address, contractLabel } = filter;
      const rank = (name ? 8 : 0) + (address ? 4 : 0) + (contractLabel ? 2 : 0) + (matcher === itself ? 0 : 1);
      const place = kind + (filters.length > 0 ? JSON.stringify({ name, address, contractLabel }) : '');
      const isTaken = routes.some((other) => other.place === place && other.matcher === matcher);
      checkHandler(handler, isTaken, place);
      routes.push({ kind, filter, place, matcher, handler, rank });
      routes.sort((one, other) => other.rank - one.rank);
      return router;
    },
    otherwise(handler) {
      checkHandler(handler, fallback !== undefined, 'otherwise');
      fallback = handler;
      return router;
    },
    dispatch(event, context) {
      let reported: string | undefined;
      const report = (error: WebhookError) => {
        // Several matchers report the same error for a log that none of them can read.
        if (error.message !== reported) reportTo(context, error);
        reported = error.message;
      };
      for (const route of routes) {
        if (!isFor(route, event as EventEmitted)) continue;
        const selected = route.matcher.select(event as EventEmitted, report);
        if (isThenable(selected)) {
          ignorePromise(selected);
          throw new TypeError('`select` of a matcher must be synchronous: it returned a promise.');
        }
        if (selected !== undefined) return route.handler(selected as never, context) as HandlerResult<Tx>;
      }
      return fallback?.(event as never, context) as HandlerResult<Tx>;
    },
    dispatchAll(entries, context) {
      // A promise only if a route returns one: some transactions are synchronous.
      let done: unknown;
      for (const { event, idempotencyKey } of entries) {
        const next = () => router.dispatch(event, contextOf(context, idempotencyKey));
        done = isThenable(done) ? Promise.resolve(done).then(next) : next();
      }
      return (isThenable(done) ? done : undefined) as HandlerResult<Tx>;
    },
  };
  return router;
}
