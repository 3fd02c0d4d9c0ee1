// A Worker gets the web-standard Request untouched. Its bindings come with the request, so the receiver is created with the
// first one. Cloudflare runs many isolates of a Worker and evicts them at any time: the store on D1 is shared by all.
import { fetchHandler } from 'event-webhook-receiver/fetch';
import { type D1DatabaseLike, fromD1, sqlStore } from 'event-webhook-receiver/stores/sql';

interface Env {
  readonly WEBHOOK_SECRET: string;
  /** With `"types": ["@cloudflare/workers-types"]` in tsconfig.json: D1Database. */
  readonly DB: D1DatabaseLike;
  /** Set by tests. (Default: 60 000.) */
  readonly LEASE_MS?: number;
}

interface Context {
  waitUntil(promise: Promise<unknown>): void;
}

const storeOf = ({ DB, LEASE_MS }: Env) => sqlStore({ db: fromD1(DB), leaseMs: LEASE_MS });

let receive: ReturnType<typeof fetchHandler> | undefined;

function create(env: Env): ReturnType<typeof fetchHandler> {
  // D1 has no interactive transactions, so the store uses leases, and an event whose isolate is evicted between the effect
  // and its record is handled again. Write the effect under the event's key, so that the second write changes nothing.
  const effect = 'INSERT INTO effects (key, event_id) VALUES (?1, ?2) ON CONFLICT (key) DO NOTHING';
  return fetchHandler({
    secret: env.WEBHOOK_SECRET,
    store: storeOf(env),
    logger: console,
    maxArrivingBytes: 16_000_000, // an isolate has 128 MB for everything
    async onEvent(event, { idempotencyKey }) {
      await env.DB.prepare(effect).bind(idempotencyKey, event.id).all();
      console.log(`took effect: ${event.id}`);
    },
  });
}

export default {
  // Pass `context` on: with it, Cloudflare lets a delivery whose sender disconnects continue for up to 30 s.
  fetch(request: Request, env: Env, context: Context): Promise<Response> {
    receive ??= create(env);
    return receive(request, context);
  },
  /** Deletes keys past their retention. */
  async scheduled(_controller: unknown, env: Env): Promise<void> {
    console.log('keys deleted:', await storeOf(env).sweep());
  },
};
