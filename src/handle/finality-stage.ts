import { ConfigError, WebhookError } from '../errors.js';
import type { EventItem } from '../events/parse-delivery.js';
import type { EventOutcome } from './answer.js';
import { outcomeUnknown } from './attempt-errors.js';
import type { AboutDelivery } from './context.js';
import { type Finality, type FinalityVerdict, LOG_IDENTITY, type OnDropped } from './finality.js';
import { type Afterwards, groundOf, type RunSettings } from './ground.js';
import { probe } from './probe.js';
import { TimeLimit } from './time-limit.js';
import { createCallHook } from './user-hook.js';

/**
 * Asks whether events may be handled, before any key is claimed. Returns the outcomes of those that may not. Never rejects,
 * and never lets an event pass, or drops it, for want of an answer.
 */
export type FinalityStage = (
  keys: ReadonlyMap<EventItem, string>,
  about: AboutDelivery,
) => Promise<ReadonlyMap<EventItem, EventOutcome>>;

export interface FinalityOptions<Tx> extends RunSettings<Tx> {
  readonly finality: Finality;
  readonly onDropped?: OnDropped | undefined;
}

/** What `logIdentity` appends to the key of a log for the notice that a re-org removed it. */
const REMOVAL = /[^:](:removed)$/;
/** When to ask again if nobody says, in ms. */
const ASK_AGAIN_MS = 15_000;
/** When to ask again about a removal whose log is being handled, in ms. */
const SOON_MS = 5000;
const LEAST_MS = 100;
const MOST_MS = 3_600_000;

const NONE: ReadonlyMap<EventItem, EventOutcome> = new Map();

export function createFinalityStage<Tx>(
  { finality, onDropped, ...settings }: FinalityOptions<Tx>,
  afterwards: Afterwards,
): FinalityStage {
  const { store, handlerTimeoutMs } = groundOf(settings, afterwards);
  const callHook = createCallHook(settings.handlerTimeoutMs, afterwards);

  /** A verdict for each event. */
  async function ask(items: Iterable<EventItem>, host: AboutDelivery['host']): Promise<FinalityVerdict[]> {
    const events = Array.from(items, ({ event }) => event);
    const unanswered = (cause: unknown) => events.map(() => pending(cause));
    const refusal = host?.refusal(settings.handlerTimeoutMs);
    if (refusal) return unanswered(refusal);
    const time = new TimeLimit(settings.handlerTimeoutMs, host);
    let verdicts: unknown;
    try {
      const asking = async () => {
        verdicts = await finality.check(events, { signal: time.signal });
      };
      await time.run(asking, afterwards.hold);
      const isComplete = Array.isArray(verdicts) && verdicts.length === events.length;
      return isComplete ? Array.from(verdicts as unknown[], understood) : unanswered(undefined);
    } catch (cause) {
      const isLate = cause !== undefined && cause === time.error;
      return unanswered(isLate ? new Error(`\`finality\` took longer than ${Math.round(time.ms)} ms.`) : cause);
    }
  }

  /** Whether it is known of all events that they are final. */
  function areFinal(items: Iterable<EventItem>): boolean {
    try {
      for (const { event } of items) if (finality.isFinal?.(event) !== true) return false;
      return true;
    } catch {
      // `check` has to answer.
      return false;
    }
  }

  /** What becomes of a notice of removal: it is handled if its log was. */
  async function removal(
    idempotencyKey: string,
    host: AboutDelivery['host'],
  ): Promise<Partial<EventOutcome> | undefined> {
    const suffix = REMOVAL.exec(idempotencyKey)?.[1];
    if (suffix === undefined) return { status: 'failed', error: new ConfigError(noSuffix()) };
    try {
      const ms = Math.min(handlerTimeoutMs, host?.answerMs() ?? handlerTimeoutMs);
      const state = await probe(store, idempotencyKey.slice(0, -suffix.length), ms);
      if (state === 'in-progress') return notFinal({ retryAfterMs: SOON_MS });
      if (state === 'unknown') throw outcomeUnknown(idempotencyKey.slice(0, -suffix.length));
      return state === 'handled' ? undefined : { status: 'dropped' };
    } catch (error) {
      return { status: 'failed', error: error as WebhookError };
    }
  }

  async function drop(item: EventItem, idempotencyKey: string, { source, host }: AboutDelivery) {
    const error = onDropped && (await callHook(() => onDropped(item.event, { idempotencyKey, source }), host));
    return { status: error ? 'failed' : 'dropped', error } as const;
  }

  return async (keys, about) => {
    if (areFinal(keys.keys())) return NONE;
    const verdicts = await ask(keys.keys(), about.host);
    const kept = new Map<EventItem, EventOutcome>();
    let index = 0;
    for (const [item, idempotencyKey] of keys) {
      const verdict = verdicts[index++] as FinalityVerdict;
      let outcome: Partial<EventOutcome> | undefined;
      if (verdict.status === 'pending') outcome = notFinal(verdict);
      else if (verdict.status === 'final')
        outcome = verdict.isRemoval ? await removal(idempotencyKey, about.host) : undefined;
      else outcome = verdict.isRemoval ? { status: 'dropped' } : await drop(item, idempotencyKey, about);
      if (outcome) kept.set(item, { item, idempotencyKey, ...outcome } as EventOutcome);
    }
    return kept;
  };
}

type Pending = Extract<FinalityVerdict, { status: 'pending' }>;

function notFinal({ retryAfterMs, error: cause }: Omit<Pending, 'status'>): Partial<EventOutcome> {
  const message = 'The event waits until its block is known to be final.';
  const error = new WebhookError('ERR_WEBHOOK_NOT_FINAL', message, cause && { cause });
  return { status: 'not-final', retryAfterMs, error };
}

/** For want of a verdict. */
function pending(cause: unknown): Pending {
  const error = (cause ?? new TypeError('`finality.check` must resolve to a verdict for each event.')) as Error;
  return { status: 'pending', retryAfterMs: ASK_AGAIN_MS, error };
}

/** A verdict as it was when it was given. Anything else is pending. */
function understood(verdict: unknown): FinalityVerdict {
  try {
    const { status, isRemoval, retryAfterMs, error } = verdict as Record<string, unknown>;
    if (status === 'pending') {
      const ms = Number.isFinite(retryAfterMs) ? Number(retryAfterMs) : ASK_AGAIN_MS;
      return { status, retryAfterMs: Math.min(Math.max(ms, LEAST_MS), MOST_MS), error: error as Error | undefined };
    }
    const isPlain = isRemoval === undefined || typeof isRemoval === 'boolean';
    if ((status === 'final' || status === 'dropped') && isPlain) return { status, isRemoval };
  } catch (error) {
    return pending(error);
  }
  return pending(undefined);
}

function noSuffix(): string {
  return `The idempotency key of a removed log must be that of the log and \`:removed\`. Set ${LOG_IDENTITY}.`;
}
