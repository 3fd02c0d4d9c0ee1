// One machine, no server: a file remembers the idempotency keys, across restarts and for all processes.
// `new DatabaseSync(file)` of node:sqlite (Node 22.5 or later) and `new Database(file)` of bun:sqlite work too.
import { createReceiver } from 'event-webhook-receiver';
import { sqliteStore } from 'event-webhook-receiver/stores/sqlite';
import Database from 'libsql';
import { serve } from '../serve.js';

const database = new Database(process.env.SQLITE_FILE ?? 'webhooks.db');

const receiver = createReceiver({
  secret: process.env.WEBHOOK_SECRET ?? '',
  store: sqliteStore({ database }),
  onEvent(event, { throwIfExpired }) {
    // After a freeze, another process may have taken over: check right before the effect.
    throwIfExpired();
    console.log('took effect:', event.id);
  },
  onError: (error) => console.error(error.code, error.message, error.cause ?? ''),
});

serve(receiver, () => database.close());
