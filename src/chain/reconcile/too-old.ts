import { ConfigError } from '../../errors.js';
import type { FeedOptions } from './feed.js';
import type { SourceChunk } from './source.js';

/** Margin in ms for differences between clocks: an event may seem younger than it is. */
const CLOCK_SKEW_MS = 60_000;

type Memory = Pick<FeedOptions, 'receiver'> & { readonly retentionMs: number | undefined };

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
    `Events from ${isoText(oldestAt)} on may be older than what the receiver's store remembers: that starts at ${isoText(since)}, and ${CLOCK_SKEW_MS / 1000} s are left for clocks that differ. They could take effect twice. Set \`from\` to a later position, or raise \`retentionMs\` of the store before you need it.`,
  );
}

function isoText(ms: number): string {
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : 'an unknown time';
}
