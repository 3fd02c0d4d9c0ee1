import { ConfigError, type WebhookError } from '../errors.js';
import type { EventEmitted, WebhookEvent } from '../events/types.js';
import { reportTo } from '../handle/context.js';
import type { EventContext } from '../handle/types.js';
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

/** Routes to handlers. `method` adds one. */
export class Routes<Tx> {
  /** The most specific first; of equal rank in the order of registration. */
  readonly #routes: Route<Tx>[] = [];
  readonly #method: string;
  #fallback: Handle<Tx> | undefined;

  constructor(method: string) {
    this.#method = method;
  }

  readonly add = (first: unknown, ...rest: unknown[]): void => {
    const handler = rest.pop();
    const matcher = hasMethods<EventMatcher<unknown>>(first, 'select') ? first : itself;
    const kind = matcher === itself ? first : 'event.emitted';
    // A filter that is present but undefined is a mistake: it must not match the whole kind.
    const filters = matcher.filter === undefined ? rest : [...rest, matcher.filter];
    const isKnown = kind === 'event.emitted' || (kind === 'transaction.included' && filters.length === 0);
    if (!isKnown || filters.length > 1) {
      throw new ConfigError(
        `\`${this.#method}\` takes 'event.emitted' with an optional filter, 'transaction.included', or a matcher, and then a handler.`,
      );
    }
    const [filter = {}] = filters.map(checkedFilter);
    const { name, address, contractLabel } = filter;
    const rank = (name ? 8 : 0) + (address ? 4 : 0) + (contractLabel ? 2 : 0) + (matcher === itself ? 0 : 1);
    const place = kind + (filters.length > 0 ? JSON.stringify({ name, address, contractLabel }) : '');
    checkHandler(handler, this.#has(place, matcher), place);
    this.#routes.push({ kind, filter, place, matcher, handler, rank } as Route<Tx>);
    this.#routes.sort((one, other) => other.rank - one.rank);
  };

  readonly otherwise = (handler: unknown): void => {
    checkHandler(handler, this.#fallback !== undefined, 'otherwise');
    this.#fallback = handler;
  };

  #has(place: string, matcher: EventMatcher<unknown>): boolean {
    return this.#routes.some((other) => other.place === place && other.matcher === matcher);
  }

  /** A route that `others` does not have; undefined if there is none. */
  missingIn(others: Routes<Tx>): string | undefined {
    const missing = this.#routes.find(({ place, matcher }) => !others.#has(place, matcher))?.place;
    return missing ?? (this.#fallback && !others.#fallback ? 'otherwise' : undefined);
  }

  readonly dispatch = (event: WebhookEvent, context: EventContext<Tx>): HandlerResult<Tx> => {
    let reported: string | undefined;
    const report = (error: WebhookError) => {
      // Several matchers report the same error for a log that none of them can read.
      if (error.message !== reported) reportTo(context, error);
      reported = error.message;
    };
    for (const route of this.#routes) {
      if (!isFor(route, event as EventEmitted)) continue;
      const selected = route.matcher.select(event as EventEmitted, report);
      if (isThenable(selected)) {
        ignorePromise(selected);
        throw new TypeError('`select` of a matcher must be synchronous: it returned a promise.');
      }
      if (selected !== undefined) return route.handler(selected as never, context) as HandlerResult<Tx>;
    }
    return this.#fallback?.(event as never, context) as HandlerResult<Tx>;
  };
}

/** Rejects a handler that is not a function, and a second one for the same route. */
function checkHandler<Tx>(handler: unknown, isTaken: boolean, route: string): asserts handler is Handle<Tx> {
  if (typeof handler !== 'function') throw optionError(`handler of ${route}`, 'a function', handler);
  if (isTaken) throw new ConfigError(`The route ${route} already has a handler. Remove one of them.`);
}
