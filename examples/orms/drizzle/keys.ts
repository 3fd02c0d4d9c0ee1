import { bigint, boolean, index, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

export const webhookIdempotencyKeys = pgTable(
  'webhook_idempotency_keys',
  {
    key: text().primaryKey(),
    owner: text().notNull(),
    state: text().notNull(),
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
    attempts: integer().notNull().default(0),
    firstFailedAt: timestamp('first_failed_at', { withTimezone: true }),
    lastFailedAt: timestamp('last_failed_at', { withTimezone: true }),
    source: text(),
    errorCode: text('error_code'),
    errorMessage: text('error_message'),
    letter: text(),
    abandoned: boolean().notNull().default(false),
    retryUntil: timestamp('retry_until', { withTimezone: true }),
    via: text(),
    kind: text(),
    eventId: text('event_id'),
    receivedAt: timestamp('received_at', { withTimezone: true }),
    claimedAt: timestamp('claimed_at', { withTimezone: true }),
    doneAt: timestamp('done_at', { withTimezone: true }),
    chain: text(),
    blockNumber: bigint('block_number', { mode: 'bigint' }),
    blockHash: text('block_hash'),
    transitions: integer().notNull().default(0),
  },
  ({ expiresAt }) => [index('webhook_idempotency_keys_expires_at_idx').on(expiresAt)],
);

/** Of `store.cursor(name)`. */
export const webhookCursors = pgTable('webhook_idempotency_keys_cursors', {
  name: text().primaryKey(),
  value: text().notNull(),
});
