import { ConfigError, type WebhookError } from '../errors.js';
import type { EventEmitted, EventKind, TransactionIncluded, WebhookEvent } from '../events/types.js';
import { ignorePromise, isThenable } from '../internal/guards.js';
import { reportTo } from './context.js';
import type { EventContext } from './options.js';

/** Which `event.emitted` a route is for: those with all that is given here. It needs one key or more. */
export interface EventFilter {
  /** Name of the event, without its types, such as `Transfer`; it is held against `data.event.name`. (Default: any.) */
  readonly name?: string;
  /** Address of the contract: 0x and 40 hex digits in any case, with no check of a checksum in them. (Default: any.) */
  readonly address?: string;
  /** Label of the contract, not of its address; it is held against `data.event.contract.label`. (Default: any.) */
  readonly contractLabel?: string;
}

/** A route that looks at more than a filter can, and gives its handler what it made of the event. */
export interface EventMatcher<Selected, Event extends WebhookEvent = EventEmitted> {
  /** The kind of event that it selects from. */
  readonly kind: Event['event'];
  /** Which `event.emitted` it is asked about. It is looked up, so the narrower, the cheaper. (Default: all.) */
  readonly filter?: (Event extends EventEmitted ? EventFilter : never) | undefined;
  /** What it selects, as text. A second matcher with the same filter and `id` is refused. (Default: none.) */
  readonly id?: string | undefined;
  /**
   * Gives what the handler gets, or `undefined` when this event is not for it. Synchronous: a promise would count as
   * selected. What it throws is a failure of the event; what it passes to `report` reaches the receiver's `onError` and
   * `logger`, and fails nothing.
   */
  readonly select: (event: Event, report?: (error: WebhookError) => void) => Selected | undefined;
}

/** Handles an event, or what a matcher selected from it. Resolving means that it took effect. */
export type RouteHandler<Given, Tx = undefined> = (given: Given, context: EventContext<Tx>) => unknown;

type AnyMatcher = EventMatcher<unknown> | EventMatcher<unknown, TransactionIncluded>;

/** The route itself; for a text that is not a kind of event the kinds, which the compiler then names. */
type KnownRoute<Route> = Route extends AnyMatcher | EventKind ? Route : EventKind;

/** What the handler of a route is given. */
type GivenBy<Route> = Route extends EventKind
  ? Extract<WebhookEvent, { event: Route }>
  : Route extends { select: (...args: never) => infer Selected }
    ? Exclude<Selected, undefined>
    : WebhookEvent;

/** Gives every event to one handler. Made by {@link createRouter}. */
export interface Router<Tx = undefined> {
  /**
   * Adds a route: of a kind, of the `event.emitted` that a filter holds for, or of a matcher.
   *
   * @returns The same router.
   * @throws ConfigError `ERR_WEBHOOK_CONFIG` when the route is there already or makes no sense.
   */
  on<Route extends string | AnyMatcher>(
    route: KnownRoute<Route>,
    handler: RouteHandler<GivenBy<Route>, Tx>,
  ): Router<Tx>;
  on(kind: 'event.emitted', filter: EventFilter, handler: RouteHandler<EventEmitted, Tx>): Router<Tx>;
  /**
   * Sets what handles an event that has no route. Without it such an event is acknowledged; to have it sent again, throw.
   *
   * @returns The same router.
   * @throws ConfigError `ERR_WEBHOOK_CONFIG` when it is set already.
   */
  otherwise(handler: RouteHandler<WebhookEvent, Tx>): Router<Tx>;
  /** The `onEvent` for a receiver or a worker: returns what the handler returns and throws what it throws. */
  readonly dispatch: RouteHandler<WebhookEvent, Tx>;
}

/** What a filter can hold, with what weighs most first, and how each must look. */
const PARTS = { name: /^[^(]+$/, address: /^0x[\dA-Fa-f]{40}$/, contractLabel: /./s };

type Part = keyof typeof PARTS;

/** What a route calls in the end; which kind of event it takes is for the overloads of `on` to say. */
type Handle<Tx> = (given: never, context: EventContext<Tx>) => unknown;

/** Most places hold a handler and nothing else: it stands for them, as each object on the way is a wait for memory. */
type Places<Tx> = Map<string, Place<Tx> | Handle<Tx>>;

type Matcher = Pick<EventMatcher<unknown>, 'id' | 'select'> & { kind: string; filter?: unknown };

/** Where filters lead to, part by part. A part that no route asks for here has no map, so it costs no look-up. */
class Place<Tx> {
  name: Places<Tx> | undefined;
  address: Places<Tx> | undefined;
  contractLabel: Places<Tx> | undefined;
  readonly matchers: { matcher: Matcher; handler: Handle<Tx> }[] = [];
  handler: Handle<Tx> | undefined;
}

/** The handler for an event, looked for from the most specific place on. */
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

/** The handler of the first matcher that selects something, with what it selected. */
function select<Tx>(matchers: Place<Tx>['matchers'], event: EventEmitted, context: unknown): Handle<Tx> | undefined {
  let told: string | undefined;
  const report = (error: WebhookError) => {
    // Matchers of one name have the same to say of a log that none of them can read.
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

/** The place under a key, made where there is none or only a handler. */
function open<Tx>(places: Places<Tx>, key: string): Place<Tx> {
  const found = places.get(key);
  if (typeof found === 'object') return found;
  const place = new Place<Tx>();
  place.handler = found;
  places.set(key, place);
  return place;
}

/** Refuses what would match more than it says, such as a key that is misspelt or whose value was never set. */
function checkFilter(filter: unknown): void {
  const entries = Object.entries(Object(filter) as object);
  const wrong = entries.find(
    ([key, value]) => !(Object.hasOwn(PARTS, key) && typeof value === 'string' && PARTS[key as Part].test(value)),
  );
  if (entries.length > 0 && !wrong) return;
  throw new ConfigError(
    `Wrong in a filter: ${wrong ? wrong[0] : 'no key'}. It takes name (no types), address (0x and 40 hex digits), contractLabel.`,
  );
}

/** Refuses what is no handler, and a second one for the same events. */
function checkHandler<Tx>(handler: unknown, first: unknown, route: string): asserts handler is Handle<Tx> {
  if (typeof handler === 'function' && !first) return;
  throw new ConfigError(`${first ? 'There is a handler already' : 'The handler must be a function'}: ${route}.`);
}

/**
 * Creates a router, which gives every event to exactly one handler: that of the most specific route. A route with a
 * name comes before all without one; then a route with an address; then one with a contract label; then that of the
 * kind; then `otherwise`. Where routes have one filter, matchers are asked first, in the order of their registration.
 *
 * An event with no route and no `otherwise` is acknowledged and gone, as the service sends the events of every contract.
 * It checks no events: give it those of a receiver or a parser. A route is looked up, however many there are. For
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
      // A filter that is there and undefined is a mistake, and not the whole kind.
      if (matcher && matcher.filter !== undefined) rest.push(matcher.filter);
      if (!kinds.has(key) || rest.length > (key === 'event.emitted' ? 1 : 0)) {
        throw new ConfigError('Give event.emitted (with one filter or none), transaction.included or a matcher.');
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
      return handler?.(event as never, context);
    },
  };
  return router;
}
