// Exactly once: the handler writes in the transaction that records the key, so both commit or neither does.
import { createReceiver } from 'event-webhook-receiver';
import { fromPg, sqlStore } from 'event-webhook-receiver/stores/sql';
import { Pool } from 'pg';
import { serve } from '../serve.js';

const pool = new Pool({ connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 5000 });
// A pool emits an error when an idle connection breaks; without a listener, that ends the process.
pool.on('error', (error) => console.error(error.message));

const store = sqlStore({ db: fromPg(pool), transactional: true });
await store.migrate();
await pool.query('CREATE TABLE IF NOT EXISTS transfers (event_id text, name text NOT NULL)');
setInterval(() => store.sweep().catch(console.error), 3_600_000).unref();

const receiver = createReceiver({
  secret: process.env.WEBHOOK_SECRET ?? '',
  store,
  async onEvent(event, { tx }) {
    const name = event.event === 'event.emitted' ? event.data.event.name : event.event;
    await tx.query('INSERT INTO transfers (event_id, name) VALUES ($1, $2)', [event.id, name]);
    console.log('took effect:', event.id);
  },
  onError: (error) => console.error(error.code, error.message, error.cause ?? ''),
});

serve(receiver, () => pool.end());
