// Drizzle over databases within the process, for the tests of the store.
import { PGlite } from '@electric-sql/pglite';
import { eq } from 'drizzle-orm';
import { drizzle as drizzleSynchronous } from 'drizzle-orm/better-sqlite3';
import { pgTable, text as pgText } from 'drizzle-orm/pg-core';
import { drizzle as drizzlePGlite } from 'drizzle-orm/pglite';
import { sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { createReceiver, type WebhookEvent } from 'event-webhook-receiver';
import { fromDrizzle, sqlStore } from 'event-webhook-receiver/stores/sql';
import Database from 'libsql';

const effects = sqliteTable('effects', { id: text().notNull() });
const secret = 'whsec-drizzle';

/** What a handler does after it has written. */
type Then = (event: WebhookEvent, write: (id: string) => unknown) => void | Promise<void>;

/** Over libsql, which has the interface of better-sqlite3. */
export async function openSynchronous(file: string, then: Then) {
  const connection = new Database(file);
  const db = drizzleSynchronous(connection as never);
  connection.exec('CREATE TABLE IF NOT EXISTS effects (id TEXT NOT NULL)');
  const store = sqlStore({ db: fromDrizzle(db), transactional: true });
  await store.migrate();
  return {
    receiver: createReceiver({
      secret,
      store,
      onEvent(event, { tx }) {
        tx.insert(effects).values({ id: event.id }).run();
        // better-sqlite3 has savepoints for transactions in transactions, and libsql has none.
        tx.insert(effects)
          .values({ id: `${event.id} nested` })
          .run();
        return then(event, (id) => tx.insert(effects).values({ id }).run()) as undefined;
      },
    }),
    count: async (id: string) => db.$count(effects, eq(effects.id, id)),
    close: () => connection.close(),
  };
}

const pgEffects = pgTable('effects', { id: pgText().notNull() });

export async function openPGlite(_: string, then: Then) {
  const client = new PGlite();
  const db = drizzlePGlite(client);
  await client.exec('CREATE TABLE effects (id text NOT NULL)');
  const store = sqlStore({ db: fromDrizzle(db), transactional: true });
  await store.migrate();
  return {
    receiver: createReceiver({
      secret,
      store,
      async onEvent(event, { tx }) {
        await tx.insert(pgEffects).values({ id: event.id });
        await tx.transaction((inner) => inner.insert(pgEffects).values({ id: `${event.id} nested` }));
        await then(event, (id) => tx.insert(pgEffects).values({ id }));
      },
    }),
    count: async (id: string) => db.$count(pgEffects, eq(pgEffects.id, id)),
    close: () => client.close(),
  };
}
