// One machine without a server: what took effect is remembered in a file, across restarts and by all its processes.
// On Node 22.5 or newer `new DatabaseSync(file)` of node:sqlite does as well, on Bun `new Database(file)` of bun:sqlite.
import { createReceiver } from 'event-webhook-receiver';
import { sqliteStore } from 'event-webhook-receiver/stores/sqlite';
import Database from 'libsql';
import { serve } from '../serve.js';

const database = new Database(process.env.SQLITE_FILE ?? 'webhooks.db');

const receiver = createReceiver({
  secret: process.env.WEBHOOK_SECRET ?? '',
  toleranceSeconds: 300,
  store: sqliteStore({ database }),
  onEvent(event, { throwIfExpired }) {
    // A process that was frozen may have been overtaken by another one: look before the effect.
    throwIfExpired();
    console.log('took effect:', event.id);
  },
  onError: (error) => console.error(error.code, error.message, error.cause ?? ''),
});

serve(receiver, () => database.close());
