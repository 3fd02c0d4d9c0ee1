// A Worker gets the web-standard Request untouched. Its bindings come with the request, so the receiver is created with the
// first one. Cloudflare runs many isolates of a Worker and evicts them at any time: the store on D1 is shared by all.
// Pass `context` on: with it, Cloudflare lets a delivery whose sender disconnects continue for up to 30 s.
import { fetchHandler } from 'event-webhook-receiver/fetch';
import { type D1DatabaseLike, fromD1, sqlStore } from 'event-webhook-receiver/stores/sql';

interface Env {
  readonly WEBHOOK_SECRET: string;
  /** In a project with @cloudflare/workers-types: D1Database. */
  readonly DB: D1DatabaseLike;
  readonly LEASE_MS?: number;
}

interface Context {
  waitUntil(promise: Promise<unknown>): void;
}

let receive: ReturnType<typeof fetchHandler> | undefined;

function create({ WEBHOOK_SECRET, DB, LEASE_MS }: Env): ReturnType<typeof fetchHandler> {
  // D1 has no interactive transactions, so the store uses leases, and an event whose isolate is evicted between the effect
  // and its record is handled again. Write the effect under the event's key, so that the second write changes nothing.
  const effect = 'INSERT INTO effects (key, event_id) VALUES (?1, ?2) ON CONFLICT (key) DO NOTHING';
  return fetchHandler({
    secret: WEBHOOK_SECRET,
    store: sqlStore({ db: fromD1(DB), leaseMs: LEASE_MS }),
    async onEvent(event, { idempotencyKey }) {
      await DB.prepare(effect).bind(idempotencyKey, event.id).all();
      console.log(`took effect: ${event.id}`);
    },
  });
}

export default {
  fetch(request: Request, env: Env, context: Context): Promise<Response> {
    receive ??= create(env);
    return receive(request, context);
  },
};
