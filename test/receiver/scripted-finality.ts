import { type FinalityVerdict, finalityOf, type OnDropped, type Verdicts } from '../../src/chain/finality/stage.js';
import { createReceiver, type WebhookEvent } from '../../src/index.js';
import type { IdempotencyStore } from '../../src/stores/store.js';
import { seconds, secret } from '../helpers.js';

export const FINAL: FinalityVerdict = { status: 'final' };
export const DROPPED: FinalityVerdict = { status: 'dropped' };
export const REMOVED: FinalityVerdict = { status: 'final', isRemoval: true };
export const MOOT: FinalityVerdict = { status: 'dropped', isRemoval: true };
export const waiting = (retryAfterMs = 12_000): FinalityVerdict => ({ status: 'pending', retryAfterMs });

/** A finality that answers by event id, as a test sets it; final for other ids. Notes which ids each call asked for. */
export function scripted(verdicts: Record<string, FinalityVerdict | undefined> = {}) {
  const asked: string[][] = [];
  const finality: Verdicts = {
    wait: 'redelivery',
    async check(events) {
      asked.push(events.map(({ id }) => id));
      return events.map(({ id }) => verdicts[id] ?? FINAL);
    },
  };
  return { finality, verdicts, asked };
}

/** A receiver whose keys are the ids of events, with what it handled, dropped and reported. */
export function deciding(
  verdicts: Verdicts,
  options: {
    store?: IdempotencyStore;
    onDropped?: OnDropped;
    handlerTimeoutMs?: number;
    logger?: never;
    onEvents?: true;
  } = {},
) {
  const handled: string[] = [];
  const dropped: [id: string, idempotencyKey: string][] = [];
  const reported: string[] = [];
  const {
    onEvents,
    onDropped = ({ id }, { idempotencyKey }) => dropped.push([id, idempotencyKey]),
    ...others
  } = options;
  const handlers = onEvents
    ? {
        onEvents: (entries: readonly { readonly event: WebhookEvent }[]) =>
          handled.push(...entries.map(({ event }) => event.id)),
      }
    : { onEvent: ({ id }: WebhookEvent) => handled.push(id) };
  const receiver = createReceiver({
    secret,
    now: () => seconds * 1000,
    finality: finalityOf({ ...verdicts, onDropped }),
    idempotencyKey: ({ id }) => id,
    onError: ({ code }) => reported.push(code),
    ...handlers,
    ...others,
  } as Parameters<typeof createReceiver>[0]);
  return { receiver, handled, dropped, reported };
}
