// One machine, no server, exactly once: the handler writes in the transaction that records the key.
// `new DatabaseSync(file)` of node:sqlite (Node 22.16 or later) and `new Database(file)` of bun:sqlite work too.
import { createReceiver } from 'event-webhook-receiver';
import { fromBetterSqlite3, sqlStore } from 'event-webhook-receiver/stores/sql';
import Database from 'libsql';
import { serve } from '../serve.js';

const database = new Database(process.env.SQLITE_FILE ?? 'app.db');
database.exec('CREATE TABLE IF NOT EXISTS transfers (event_id TEXT, name TEXT)');

const store = sqlStore({ db: fromBetterSqlite3(database), transactional: true });
await store.migrate();
setInterval(() => store.sweep().catch(console.error), 3_600_000).unref();

const receiver = createReceiver({
  secret: process.env.WEBHOOK_SECRET ?? '',
  store,
  // Not async: the driver is synchronous, and commits when this returns.
  onEvent(event, { tx }) {
    tx.prepare('INSERT INTO transfers VALUES (?, ?)').run(event.id, event.event);
    console.log('took effect:', event.id);
  },
  onError: (error) => console.error(error.code, error.message, error.cause ?? ''),
});

serve(receiver, () => database.close());
