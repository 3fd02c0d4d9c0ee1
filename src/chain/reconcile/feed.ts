import { ConfigError, isWebhookError } from '../../errors.js';
import { logIdentity } from '../../evm/raw-log.js';
import { errorOfItem } from '../../handle/answer.js';
import type { Receiver } from '../../receiver/receiver.js';
import { asError, type ReconcileStatus, Stop } from './report.js';
import type { SourceEntry } from './source.js';

/** The part of a receiver that `reconcile` uses. */
export type ReconcilingReceiver = Pick<Receiver, 'idempotencyKey' | 'rememberedSince' | 'handleEvents' | 'peek'>;

/** An event with its idempotency key. */
export interface KeyedEntry extends SourceEntry {
  readonly key: string;
}

/** The result for an entry. */
export interface Result {
  readonly entry: KeyedEntry;
  readonly status: ReconcileStatus;
  readonly error?: Error | undefined;
}

export interface FeedOptions {
  readonly receiver: ReconcilingReceiver;
  readonly keySource: string | false | undefined;
  /** Whether to handle the events; false only reports missing ones. */
  readonly handle: boolean;
}

/** Codes of errors that would also fail the next event. */
const BUSY = /_(STORE|ENQUEUE|SECRET|OVERLOADED|OUT_OF_TIME|DRAINING|BODY_INCOMPLETE)$/;

const STATUS: Partial<Record<string, ReconcileStatus>> = {
  handled: 'repaired',
  stored: 'stored',
  duplicate: 'present',
  'dead-lettered': 'present',
  dropped: 'dropped',
  'not-final': 'waiting',
  'in-progress': 'waiting',
};

const PEEKED: Partial<Record<string, ReconcileStatus>> = {
  handled: 'present',
  'in-progress': 'waiting',
  unknown: 'failed',
};

/** The entry's key, or the event id if it has none. */
export function keyedEntry(entry: SourceEntry, receiver: ReconcilingReceiver): KeyedEntry {
  try {
    return { ...entry, key: receiver.idempotencyKey(entry.event) };
  } catch {
    // The receiver reports the reason when it gets the event.
    return { ...entry, key: `${entry.event.event}:${entry.event.id}` };
  }
}

/**
 * @throws ConfigError if a key is not a `logIdentity`: events that took effect under another key would take effect
 * again.
 */
export function checkKey({ event, key }: KeyedEntry, chainId: number | undefined): void {
  const prefix = /^[1-9]\d*(?=:)/.exec(key)?.[0] ?? '1';
  let expected: string;
  try {
    expected = logIdentity(event, { chainId: chainId ?? BigInt(prefix) });
  } catch {
    // The event lacks the fields of its key. Fail this event only.
    return;
  }
  if (key === expected) return;
  throw new ConfigError(
    `\`reconcile\` needs a receiver that identifies events by their place on the chain, because delivered events have other ids. Set its option \`idempotencyKey: (event) => logIdentity(event, { chainId: ${chainId ?? 'n'} })\`.`,
  );
}

/**
 * Passes events to the receiver as a delivery. Calls `settle` with each result; throws Stop when further events would
 * fail too.
 */
export async function feed(
  entries: readonly KeyedEntry[],
  options: FeedOptions,
  settle: (result: Result) => void,
): Promise<void> {
  const { receiver, keySource } = options;
  if (!options.handle) return look(entries, options, settle);
  const events = entries.map(({ event }) => event);
  const { status, error, outcomes } = await receiver.handleEvents(events, { source: keySource, via: 'reconcile' });
  if (outcomes.length !== entries.length) {
    if (error?.code === 'ERR_WEBHOOK_CONFIG') throw error;
    throw new Stop(status === 503 ? 'busy' : 'refused', error);
  }
  let busy: Error | undefined;
  for (const [at, outcome] of outcomes.entries()) {
    const [status, error] = [outcome.status, errorOfItem(outcome)];
    settle({ entry: entries[at] as KeyedEntry, status: STATUS[status] ?? 'failed', error });
    if (status === 'failed' && error && BUSY.test(error.code)) busy ??= error;
  }
  if (busy) throw new Stop('busy', busy);
}

async function look(
  entries: readonly KeyedEntry[],
  { receiver, keySource }: FeedOptions,
  settle: (result: Result) => void,
): Promise<void> {
  try {
    const events = entries.map(({ event }) => event);
    const states = await receiver.peek(events, { source: keySource });
    for (const [at, entry] of entries.entries()) settle({ entry, status: PEEKED[states[at] as string] ?? 'missing' });
  } catch (error) {
    if (isWebhookError(error) && error.code === 'ERR_WEBHOOK_CONFIG') throw error;
    throw new Stop('busy', asError(error));
  }
}
