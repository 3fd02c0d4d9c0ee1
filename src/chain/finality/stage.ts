import { ConfigError, type WebhookError } from '../../errors.js';
import type { WebhookEvent } from '../../events/types.js';
import { type BeforeContext, type Finality, type Kept, notFinal } from '../../handle/before.js';
import { handlerError, outcomeUnknown } from '../../handle/outcome.js';
import type { EventEntry } from '../../handle/types.js';

/** Whether an event may be handled, according to the nodes of its chain. */
export type FinalityVerdict =
  /** Its block is final. `isRemoval`: the event is a removal notice, and the removal is final. */
  | { readonly status: 'final'; readonly isRemoval?: boolean | undefined }
  /** Its block is not final yet, or no node could say (`error`). Ask again after `retryAfterMs`. */
  | { readonly status: 'pending'; readonly retryAfterMs: number; readonly error?: Error | undefined }
  /**
   * Another final block replaced its block. `isRemoval`: the notice does not apply, because the log is on the chain.
   */
  | { readonly status: 'dropped'; readonly isRemoval?: boolean | undefined };

/** Checks whether events are final. */
export interface Verdicts {
  readonly wait?: 'redelivery' | undefined;
  readonly onDropped?: OnDropped | undefined;
  /** Returns a verdict for each event, in order. Never rejects: an unknown result is `pending`. */
  check(events: readonly WebhookEvent[]): Promise<readonly FinalityVerdict[]>;
}

/** Second argument of `onDropped`. */
export interface DroppedContext {
  /** The event's key, prefixed with the source if there is one. */
  readonly idempotencyKey: string;
  /** The source that the secret function returned with the secret. */
  readonly source?: string | undefined;
}

/**
 * Called for an event whose block is no longer on the chain. Resolve to acknowledge it; throw to have it redelivered.
 */
export type OnDropped = (event: WebhookEvent, context: DroppedContext) => unknown;

/** The advice in error messages. */
const LOG_IDENTITY = '`idempotencyKey: (event) => logIdentity(event, { chainId })`';
/** Suffix that `logIdentity` appends to a log's key for its removal notice. */
const REMOVAL = /[^:](:removed)$/;
/** Delay in ms before a removal notice is checked again while its log is being handled. */
const SOON_MS = 5000;

/** The `finality` of a receiver or a worker that asks for verdicts. */
export function finalityOf({ wait, onDropped, check }: Verdicts): Finality {
  async function dropped({ event, idempotencyKey }: EventEntry, { source }: BeforeContext): Promise<Kept> {
    try {
      await onDropped?.(event, { idempotencyKey, source });
      return { status: 'dropped' };
    } catch (error) {
      return { status: 'failed', error: handlerError(error) };
    }
  }

  async function keptFor(
    entry: EventEntry,
    verdict: FinalityVerdict,
    context: BeforeContext,
  ): Promise<Kept | undefined> {
    if (verdict.status === 'final') return verdict.isRemoval ? removed(entry, context) : undefined;
    if (verdict.status === 'dropped') return verdict.isRemoval ? { status: 'dropped' } : dropped(entry, context);
    return notFinal(verdict.retryAfterMs, verdict.error);
  }

  async function ask(entries: readonly EventEntry[], context: BeforeContext): Promise<Map<EventEntry, Kept>> {
    const verdicts = await check(entries.map(({ event }) => event));
    const kept = new Map<EventEntry, Kept>();
    for (const [index, entry] of entries.entries()) {
      const why = await keptFor(entry, verdicts[index] as FinalityVerdict, context);
      if (why) kept.set(entry, why);
    }
    return kept;
  }

  return {
    check({ enqueue, idempotencyKey }) {
      if (idempotencyKey === undefined) throw new ConfigError(`\`finality\` needs ${LOG_IDENTITY}: ${PUT_BACK}.`);
      if (enqueue === undefined && wait !== 'redelivery') throw new ConfigError(`\`finality\` needs ${QUEUE}.`);
    },
    before: ask,
  };
}

/** The verdict on a removal notice: it is handled if its log was. */
async function removed({ idempotencyKey }: EventEntry, { stateOf }: BeforeContext): Promise<Kept | undefined> {
  const suffix = REMOVAL.exec(idempotencyKey)?.[1];
  if (suffix === undefined) return { status: 'failed', error: new ConfigError(NO_SUFFIX) };
  const key = idempotencyKey.slice(0, -suffix.length);
  try {
    const state = await stateOf(key);
    if (state === 'in-progress') return notFinal(SOON_MS);
    if (state === 'unknown') return { status: 'failed', error: outcomeUnknown(key) };
    return state === 'handled' ? undefined : { status: 'dropped' };
  } catch (error) {
    return { status: 'failed', error: error as WebhookError };
  }
}

const PUT_BACK = 'when a removed block returns, its events arrive again under other ids';
const QUEUE =
  "a queue for events that wait: set `enqueue`, and `finality` on the queue's worker. Or set `wait: 'redelivery'` on the finality, if you know how long the sender retries (503)";

const NO_SUFFIX = `The idempotency key of a removal notice must be the key of its log, followed by \`:removed\`. Set ${LOG_IDENTITY}.`;
