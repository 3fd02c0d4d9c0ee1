import type { EventOutcome } from './answer.js';
import { type Afterwards, attempt, groundOf, type Items, type RunSettings } from './attempt.js';
import { type AboutDelivery, createEventsContext } from './context.js';
import { createHandleOnce } from './run-once.js';
import type { OnEvents } from './types.js';

/** Runs user code for events, and returns the outcome of each, in any order. Never rejects. */
export type HandleEach = (items: Items, about: AboutDelivery) => Promise<EventOutcome[]>;

export function createHandleEach<Tx>(
  options: RunSettings<Tx> & { readonly onEvents: OnEvents<Tx> },
  afterwards: Afterwards,
): HandleEach {
  const { onEvents } = options;
  const ground = groundOf(options, afterwards);
  const { keysPerRun } = ground.store;
  const handleOnce = createHandleOnce<Tx>(
    {
      ...options,
      onEvent: (event, { idempotencyKey, ...context }) => onEvents([{ event, idempotencyKey }], context),
    },
    afterwards,
  );

  /** Each event by itself, in its own transaction where the store has transactions. */
  async function oneByOne(items: Items, about: AboutDelivery): Promise<EventOutcome[]> {
    const outcomes: EventOutcome[] = [];
    for (const [idempotencyKey, item] of items) outcomes.push(await handleOnce(item, { ...about, idempotencyKey }));
    return outcomes;
  }

  async function atOnce(items: Items, about: AboutDelivery): Promise<EventOutcome[]> {
    if (items.size === 0) return [];
    const { outcomes, tried, code } = await attempt(ground, {
      items,
      about,
      // Called as a method: a store may be an instance of a class.
      claim: async (run) =>
        ground.store.onceEach?.([...items.keys()], (fresh, tx, options) => run(fresh, tx as Tx, options)),
      call({ fresh, tx, fencingToken, limit, report }) {
        const entries = [...fresh].map(([idempotencyKey, { event }]) => ({ event, idempotencyKey }));
        return onEvents(entries, createEventsContext(about, tx, fencingToken, limit, report));
      },
    });
    const isUndone = ground.store.transactional === true && code === 'ERR_WEBHOOK_HANDLER';
    const isUnknown = code === 'ERR_WEBHOOK_OUTCOME_UNKNOWN';
    // A store that fails without a run would fail again, forever.
    if (!(isUndone || isUnknown) || tried.size === 0) return outcomes;
    // An event that fails must not hold up the others.
    const isTried = ({ idempotencyKey = '' }: EventOutcome) => tried.has(idempotencyKey);
    const others = new Map([...items].filter(([key]) => !tried.has(key)));
    return [
      ...(isUnknown || tried.size === 1 ? outcomes.filter(isTried) : await oneByOne(tried, about)),
      ...(await atOnce(others, about)),
    ];
  }

  /** As many at once as the store takes. */
  async function inParts(items: Items, about: AboutDelivery): Promise<EventOutcome[]> {
    const size = Math.floor(keysPerRun ?? items.size);
    const entries = [...items];
    const outcomes: EventOutcome[] = [];
    for (let start = 0; start < entries.length; start += size) {
      outcomes.push(...(await atOnce(new Map(entries.slice(start, start + size)), about)));
    }
    return outcomes;
  }

  return ground.store.onceEach ? inParts : oneByOne;
}
