import { ConfigError, type WebhookError } from '../errors.js';
import type { EventEmitted, EventKind, TransactionIncluded, WebhookEvent } from '../events/types.js';
import { contextOf, reportTo } from '../handle/context.js';
import type { EventContext, OnEvents } from '../handle/types.js';
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

/** A route that decides by more than a filter, and passes its handler a value made from the event. */
export interface EventMatcher<Selected, Event extends WebhookEvent = EventEmitted> {
  /** The kind of event to select from. */
  readonly kind: Event['event'];
  /** The `event.emitted` to call `select` for. It is looked up: a narrower filter is cheaper. (Default: all.) */
  readonly filter?: (Event extends EventEmitted ? EventFilter : never) | undefined;
  /** Identifies what is selected. A second matcher with the same filter and `id` is an error. (Default: none.) */
  readonly id?: string | undefined;
  /**
   * Returns the value for the handler, or `undefined` if the event is not for it. It must be synchronous. If it throws, the
   * event fails; an error passed to `report` reaches the receiver's `onError` and `logger` without failing the event.
   */
  readonly select: (event: Event, report?: (error: WebhookError) => void) => Selected | undefined;
}

/** Handles an event, or the value that a matcher selected. Resolve once it took effect; throw to have it redelivered. */
export type RouteHandler<Given, Tx = undefined> = (given: Given, context: EventContext<Tx>) => HandlerResult<Tx>;

type AnyMatcher = EventMatcher<unknown> | EventMatcher<unknown, TransactionIncluded>;

/** The route itself; for a misspelt kind the two kinds, which the compiler then names. */
type KnownRoute<Route> = Route extends AnyMatcher | EventKind ? Route : EventKind;

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
  on<Route extends string | AnyMatcher>(
    route: KnownRoute<Route>,
    handler: RouteHandler<GivenBy<Route>, Tx>,
  ): Router<Tx>;
  on(kind: 'event.emitted', filter: EventFilter, handler: RouteHandler<EventEmitted, Tx>): Router<Tx>;
  /**
   * Sets the handler for events without a route. Without it, they are acknowledged; throw in it to have them redelivered.
   *
   * @returns The same router.
   * @throws ConfigError `ERR_WEBHOOK_CONFIG` when it is already set.
   */
  otherwise(handler: RouteHandler<WebhookEvent, Tx>): Router<Tx>;
  /** The `onEvent` for a receiver or a worker. Returns what the handler returns, and throws what it throws. */
  readonly dispatch: RouteHandler<WebhookEvent, Tx>;
  /**
   * The `onEvents` for a receiver: gives each event to its route, in order, with the shared context and its own
   * `idempotencyKey`. Stops at the first that fails, so use it with a transactional store, which then undoes them all.
   */
  readonly dispatchAll: OnEvents<Tx>;
}

/** The keys of a filter, by descending weight, and the format of each. */
const PARTS = { name: /^[^(]+$/, address: /^0x[\dA-Fa-f]{40}$/, contractLabel: /./s };

const TAKES = {
  name: 'a name without types',
  address: '0x and 40 hex digits',
  contractLabel: 'a non-empty string',
};

type Part = keyof typeof PARTS;

/** The handler of a route; the signatures of `on` type its event. */
type Handle<Tx> = (given: never, context: EventContext<Tx>) => unknown;

/** A place with nothing but a handler is stored as the handler: each object on the way costs a memory access. */
type Places<Tx> = Map<string, Place<Tx> | Handle<Tx>>;

type Matcher = Pick<EventMatcher<unknown>, 'id' | 'select'> & { kind: string; filter?: unknown };

/** A node in the tree of filters. A part that no route filters by has no map, so it costs no look-up. */
class Place<Tx> {
  name: Places<Tx> | undefined;
  address: Places<Tx> | undefined;
  contractLabel: Places<Tx> | undefined;
  readonly matchers: { matcher: Matcher; handler: Handle<Tx> }[] = [];
  handler: Handle<Tx> | undefined;
}

/** Finds the handler for an event, starting at the most specific place. */
function find<Tx>(
  place: Place<Tx> | Handle<Tx> | undefined,
  event: EventEmitted,
  context: unknown,
): Handle<Tx> | undefined {
  if (typeof place !== 'object') return place;
  const { name, address, contractLabel, matchers, handler } = place;
  return (
    (name && find(name.get(event.data.event.name), event, context)) ??
    (address && find(address.get(event.data.event.contract.address.toLowerCase()), event, context)) ??
    (contractLabel && find(contractLabel.get(event.data.event.contract.label), event, context)) ??
    (matchers.length > 0 ? select(matchers, event, context) : undefined) ??
    handler
  );
}

/** The handler of the first matcher that selects a value, bound to that value. */
function select<Tx>(matchers: Place<Tx>['matchers'], event: EventEmitted, context: unknown): Handle<Tx> | undefined {
  let told: string | undefined;
  const report = (error: WebhookError) => {
    // Matchers of one name report the same error for a log that none of them can read.
    if (error.message !== told) reportTo(context, error);
    told = error.message;
  };
  for (const { matcher, handler } of matchers) {
    const selected = matcher.select(event, report);
    if (isThenable(selected)) {
      ignorePromise(selected);
      throw new TypeError('`select` of a matcher must be synchronous: it returned a promise.');
    }
    if (selected !== undefined) return (_, context) => handler(selected as never, context);
  }
  return undefined;
}

/** The place at a key, created if there is none or only a handler. */
function open<Tx>(places: Places<Tx>, key: string): Place<Tx> {
  const found = places.get(key);
  if (typeof found === 'object') return found;
  const place = new Place<Tx>();
  place.handler = found;
  places.set(key, place);
  return place;
}

/** Does the work for each, one after the other. Returns a promise only if the work does: some transactions are synchronous. */
function inOrder<T>(all: readonly T[], work: (each: T) => unknown): unknown {
  const rest = all.values();
  for (const each of rest) {
    const returned = work(each);
    if (isThenable(returned)) return finish(rest, work, returned);
  }
  return undefined;
}

async function finish<T>(rest: Iterable<T>, work: (each: T) => unknown, first: unknown): Promise<void> {
  await first;
  for (const each of rest) await work(each);
}

/** Rejects a filter that would match too much, such as one with a misspelt key or an unset value. */
function checkFilter(filter: unknown): void {
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter))
    throw optionError('filter', 'an object', filter);
  const entries = Object.entries(filter);
  const wrong = entries.find(
    ([key, value]) => !(Object.hasOwn(PARTS, key) && typeof value === 'string' && PARTS[key as Part].test(value)),
  );
  if (entries.length > 0 && !wrong) return;
  if (!wrong) throw new ConfigError('A filter needs at least one of `name`, `address` and `contractLabel`.');
  const [key, value] = wrong;
  if (!Object.hasOwn(PARTS, key)) checkOptions('filter', { [key]: true }, Object.keys(PARTS));
  throw optionError(`filter.${key}`, TAKES[key as Part], value);
}

/** Rejects a handler that is not a function, and a second one for the same route. */
function checkHandler<Tx>(handler: unknown, first: unknown, route: string): asserts handler is Handle<Tx> {
  if (typeof handler !== 'function') throw optionError(`handler of ${route}`, 'a function', handler);
  if (first) throw new ConfigError(`The route ${route} already has a handler. Remove one of them.`);
}

/**
 * Creates a router, which passes each event to exactly one handler: that of the most specific route. It does not check
 * events: pass it those of a receiver or a parser.
 *
 * A route with a name takes precedence; then one with an address; then one with a contract label; then the route of the
 * kind; then `otherwise`. Among routes with the same filter, matchers come first, in the order of registration. An event
 * without a route is acknowledged if there is no `otherwise`, as the service sends the events of every contract. Routes
 * are looked up, so their number does not matter. For `context.tx` of a transactional store, name its type:
 * `createRouter<PoolClient>()`.
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
  const kinds: Places<Tx> = new Map([
    ['event.emitted', new Place<Tx>()],
    ['transaction.included', new Place<Tx>()],
  ]);
  let fallback: Handle<Tx> | undefined;

  const router: Router<Tx> = {
    on(first: unknown, ...rest: unknown[]) {
      const handler = rest.pop();
      const matcher = typeof (first as Matcher | null)?.select === 'function' ? (first as Matcher) : undefined;
      let key = (matcher ? matcher.kind : first) as string;
      // A filter that is present but undefined is a mistake: it must not match the whole kind.
      if (matcher && matcher.filter !== undefined) rest.push(matcher.filter);
      if (!kinds.has(key) || rest.length > (key === 'event.emitted' ? 1 : 0)) {
        throw new ConfigError(
          "`on` takes 'event.emitted' with an optional filter, 'transaction.included', or a matcher, and then a handler.",
        );
      }
      rest.forEach(checkFilter);
      const filter = rest[0] as EventFilter | undefined;
      const route = key + (JSON.stringify(filter) ?? '');

      let places = kinds;
      for (const part in PARTS) {
        const value = filter?.[part as Part];
        if (value === undefined) continue;
        const place = open(places, key);
        place[part as Part] ??= new Map();
        places = place[part as Part] as Places<Tx>;
        key = part === 'address' ? value.toLowerCase() : value;
      }
      const isFirst = !places.has(key);
      const place = open(places, key);
      const isSame = ({ matcher: other }: { matcher: Matcher }) =>
        other === matcher || (other.id !== undefined && other.id === matcher?.id);
      checkHandler<Tx>(handler, matcher ? place.matchers.some(isSame) : place.handler, route);
      if (matcher) place.matchers.push({ matcher, handler });
      else if (isFirst) places.set(key, handler);
      else place.handler = handler;
      return router;
    },
    otherwise(handler) {
      checkHandler<Tx>(handler, fallback, 'otherwise');
      fallback = handler;
      return router;
    },
    dispatch(event, context) {
      const handler = find(kinds.get(event.event), event as EventEmitted, context) ?? fallback;
      return handler?.(event as never, context) as HandlerResult<Tx>;
    },
    dispatchAll(entries, context) {
      return inOrder(entries, ({ event, idempotencyKey }) =>
        router.dispatch(event, contextOf(context, idempotencyKey)),
      ) as HandlerResult<Tx>;
    },
  };
  return router;
}
