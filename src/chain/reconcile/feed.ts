import { ConfigError, InvalidEventError, isWebhookError } from '../../errors.js';
import { logIdentity } from '../../evm/raw-log.js';
import type { Receiver } from '../../receiver/receiver.js';
import { asError, type ReconcileStatus, Stop } from './report.js';
import type { SourceChunk, SourceEntry } from './source.js';

/** The part of a receiver that `reconcile` uses. */
export type ReconcilingReceiver = Pick<Receiver, 'idempotencyKey' | 'rememberedSince' | 'handleEvents' | 'peek'>;

/** An event with its idempotency key. */
export interface KeyedEntry extends SourceEntry {
  readonly key: string;
}

/** What became of an event. */
export interface Result {
  readonly status: ReconcileStatus;
  readonly error?: Error | undefined;
}

export interface FeedOptions {
  readonly receiver: ReconcilingReceiver;
  readonly keySource: string | false | undefined;
  /** Whether to handle the events; false only reports missing ones. */
  readonly handle: boolean;
  readonly retentionMs: number | undefined;
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

/** The entries with their keys, or the event id where there is none. */
export function keyed({ entries }: SourceChunk, receiver: ReconcilingReceiver): KeyedEntry[] {
  return entries.map((entry) => {
    try {
      return { ...entry, key: receiver.idempotencyKey(entry.event) };
    } catch {
      // The receiver reports the reason when it gets the event.
      return { ...entry, key: `${entry.event.event}:${entry.event.id}` };
    }
  });
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
 * Passes events to the receiver as a delivery, or only asks whether they took effect.
 *
 * @returns The result for each event, and the error because of which further events would fail too.
 * @throws Stop if the receiver has no results; ConfigError.
 */
export async function feed(
  entries: readonly KeyedEntry[],
  { receiver, keySource: source, handle }: FeedOptions,
): Promise<{ readonly results: readonly Result[]; readonly busy?: Error | undefined }> {
  const events = entries.map(({ event }) => event);
  if (!handle) {
    try {
      const states = await receiver.peek(events, { source });
      return { results: states.map((state) => ({ status: PEEKED[state] ?? 'missing' })) };
    } catch (error) {
      if (isWebhookError(error) && error.code === 'ERR_WEBHOOK_CONFIG') throw error;
      throw new Stop('busy', asError(error));
    }
  }
  const { status, error, outcomes } = await receiver.handleEvents(events, { source, via: 'reconcile' });
  if (outcomes.length !== entries.length) {
    if (error?.code === 'ERR_WEBHOOK_CONFIG') throw error;
    throw new Stop(status === 503 ? 'busy' : 'refused', error);
  }
  const results = outcomes.map(({ status, item, error }) => ({
    status: STATUS[status] ?? ('failed' as const),
    // All invalid items of a delivery share one error.
    error: status === 'invalid' && item.status === 'invalid' && error ? new InvalidEventError(item.issues) : error,
  }));
  return { results, busy: results.find(({ error }) => error && BUSY.test(error.code))?.error };
}

/** Margin in ms for differences between clocks: an event may seem younger than it is. */
const CLOCK_SKEW_MS = 60_000;

type Memory = Pick<FeedOptions, 'receiver' | 'retentionMs'>;

/** @throws ConfigError if an event's age is unknown. */
export function rememberedSince({ receiver, retentionMs }: Memory): number {
  const known = receiver.rememberedSince();
  if (known === undefined && retentionMs === undefined) {
    throw new ConfigError(
      'The retention of the store is unknown. Set `retentionMs` to the time that the store keeps keys.',
    );
  }
  return Math.max(known ?? 0, retentionMs === undefined ? 0 : Date.now() - retentionMs);
}

/** The error for events whose keys the store may have deleted: they could take effect twice. */
export function whyTooOld(
  { oldestAt = Number.NEGATIVE_INFINITY }: SourceChunk,
  memory: Memory,
): ConfigError | undefined {
  const since = rememberedSince(memory);
  if (oldestAt - CLOCK_SKEW_MS >= since) return undefined;
  return new ConfigError(
    `Events since ${isoText(oldestAt)} could take effect twice: the receiver's store only remembers keys since ${isoText(since)} (with ${CLOCK_SKEW_MS / 1000} s for clock differences). Set \`from\` to a later position, or raise the store's \`retentionMs\` before you need it.`,
  );
}

function isoText(ms: number): string {
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : 'an unknown time';
}
