import { WebhookError } from '../errors.js';
import { type EventOutcome, type Items, outcomesOf } from './answer.js';
import { attempt } from './attempt.js';
import { type AboutDelivery, type AboutRun, createContext } from './context.js';
import { Deadline } from './deadline.js';
import type { Shared } from './once.js';
import { traceHandler } from './tracing.js';
import type { Enqueue, EventEntry, OnEvent, OnEvents } from './types.js';

/** Runs user code for events, each key once, and returns the outcome of each, in any order. Never rejects. */
export type HandleEach = (items: Items, about: AboutDelivery) => Promise<EventOutcome[]>;

export function entriesOf(items: Items): EventEntry[] {
  return [...items].map(([idempotencyKey, { event }]) => ({ event, idempotencyKey }));
}

/** Runs `onEvent` for one event after the other, or `onEvents` for as many events at once as the store takes. */
export function createHandleEach<Tx>(
  shared: Shared<Tx>,
  onEvent: OnEvent<Tx> | undefined,
  onEvents?: OnEvents<Tx>,
): HandleEach {
  function call(fresh: Items, about: AboutDelivery, run: AboutRun<Tx>): unknown {
    const entries = entriesOf(fresh);
    if (onEvents) return onEvents(entries, createContext(about, run));
    const [{ event, idempotencyKey }] = entries as [EventEntry];
    return onEvent?.(event, createContext(about, run, idempotencyKey));
  }

  async function atOnce(items: Items, about: AboutDelivery, search?: Search): Promise<EventOutcome[]> {
    if (items.size === 0) return [];
    const handlerTimeoutMs = Math.ceil(search?.limit.remainingMs() ?? shared.handlerTimeoutMs);
    if (search && (search.left === 0 || handlerTimeoutMs === 0)) return outcomesOf(items, 'failed', search.error);
    const { outcomes, tried, failed } = await attempt(shared, { items, about, handlerTimeoutMs, call });
    if (search) search.left = failed ? search.left - 1 : search.most;
    if (!failed) return outcomes;
    const within = search ?? searchFor(items.size, shared.handlerTimeoutMs, failed.error);
    if (failed.by === 'abandoned') {
      const dead = outcomes.filter(({ status }) => status === 'dead-lettered');
      return [...dead, ...(await atOnce(without(items, dead), about, within))];
    }
    // A store that failed without a run would fail again.
    if (failed.by === 'store' || tried.size === 0) return outcomes;
    const own = outcomes.filter(({ idempotencyKey }) => tried.has(idempotencyKey as string));
    // One failing event must not block the others. Without a transaction, all may have had effects.
    const isDivided = (shared.isTransactional || shared.countFailures) && failed.by === 'handler' && tried.size > 1;
    const size = shared.isTransactional ? Math.ceil(tried.size / 2) : 1;
    const found = isDivided ? await inParts(tried, size, about, within) : own;
    return [...found, ...(await atOnce(without(items, own), about, search))];
  }

  async function inParts(items: Items, size: number, about: AboutDelivery, search?: Search): Promise<EventOutcome[]> {
    const entries = [...items];
    const outcomes: EventOutcome[] = [];
    for (let start = 0; start < entries.length; start += size) {
      outcomes.push(...(await atOnce(new Map(entries.slice(start, start + size)), about, search)));
    }
    return outcomes;
  }

  const most = onEvents ? shared.keysPerRun : 1;
  return (items, about) => (items.size <= most ? atOnce(items, about) : inParts(items, most, about));
}

function without(items: Items, outcomes: readonly EventOutcome[]): Items {
  const rest = new Map(items);
  for (const { idempotencyKey } of outcomes) rest.delete(idempotencyKey as string);
  return rest;
}

/**
 * Limits the search for the failing events among events that failed together. The search ends when the handler's time
 * is over, or after too many failed runs in a row; the remaining events then fail with the error of the first run.
 */
interface Search {
  readonly limit: Deadline;
  readonly error: WebhookError;
  /** How many runs in a row may fail: enough to halve down to one event, and a few more. */
  readonly most: number;
  left: number;
}

function searchFor(events: number, handlerTimeoutMs: number, error: WebhookError): Search {
  const most = Math.ceil(Math.log2(events)) + 8;
  return { limit: new Deadline(handlerTimeoutMs), error, most, left: most };
}

/** Passes events to `enqueue` at once. */
export function createEnqueueAll(
  { handlerTimeoutMs, afterwards }: Pick<Shared<unknown>, 'handlerTimeoutMs' | 'afterwards'>,
  enqueue: Enqueue,
  hasFinality: boolean,
): HandleEach {
  const needs = hasFinality && ({ needsFinality: true } as const);
  return async (items, { host, source, timestamp, via }) => {
    if (items.size === 0) return [];
    const limit = new Deadline(handlerTimeoutMs, host);
    if (limit.error) return outcomesOf(items, 'failed', limit.error);
    const entries = entriesOf(items);
    const { signal, deadline } = limit;
    const work = () => enqueue(entries, { signal, deadline, source, timestamp, via, ...needs });
    try {
      await traceHandler(() => limit.run(work, afterwards.hold), items);
      return outcomesOf(items, 'stored');
    } catch (cause) {
      const message = '`enqueue` failed, so the delivery will be sent again.';
      return outcomesOf(items, 'failed', new WebhookError('ERR_WEBHOOK_ENQUEUE', message, { cause }));
    }
  };
}
