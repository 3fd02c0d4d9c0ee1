import { index, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

export const webhookIdempotencyKeys = pgTable(
  'webhook_idempotency_keys',
  {
    key: text().primaryKey(),
    owner: text().notNull(),
    state: text().notNull(),
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
  },
  ({ expiresAt }) => [index('webhook_idempotency_keys_expires_at_idx').on(expiresAt)],
);

/** Of `store.cursor(name)`. */
export const webhookCursors = pgTable('webhook_idempotency_keys_cursors', {
  name: text().primaryKey(),
  value: text().notNull(),
});
