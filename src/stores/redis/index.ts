import { checkClientOptions } from '../../internal/check-client.js';
import { optionError } from '../../internal/check-options.js';
import { LEASE_OPTIONS, type LeaseOptions, resolveLeaseOptions, storeOfLeases } from '../leased-store.js';
import type { LeaseStore } from '../store.js';
import { CLIENT, type RedisLike } from './client.js';
import { runnerOf } from './runner.js';
import { redisTable } from './table.js';

export type { IoRedisLike, NodeRedisLike, RedisLike, UpstashRedisLike, ValkeyGlideLike } from './client.js';

/** Options of {@link redisStore}. */
export interface RedisStoreOptions extends LeaseOptions {
  /**
   * Your connected client, with `socketTimeout` set, or a client of Upstash. The store never opens, closes or configures it.
   * Give the store its own node-redis client: the socket timeout of node-redis counts other commands as activity.
   */
  readonly client: RedisLike;
  /**
   * Prefix of every key in Redis: up to 100 letters, digits and `_ . : { } -`. On one server, no store's prefix may be the
   * beginning of another's. (Default: `webhook:`.)
   */
  readonly prefix?: string | undefined;
}

/** Longer than a request of Upstash or fetch takes. */
const HTTP_LOST_MS = 60_000;
const PREFIX = /^[\w.:{}-]{1,100}$/;

/**
 * Creates a store in your Redis or Valkey, shared by all replicas: an event takes effect once while the server keeps its
 * key. If a process dies during a run, another takes over after `leaseMs`. While the server is unreachable, nothing runs,
 * and events fail with `ERR_WEBHOOK_STORE`, to be redelivered.
 *
 * It does not check the durability of the server: eviction (use `maxmemory-policy noeviction`), a restart without
 * persistence and a failover to a replica that lags behind all lose keys, and a redelivered event whose key is lost takes
 * effect again.
 *
 * Configure the client to replace connections that no longer answer: `socketTimeout` below `timeoutMs` for ioredis (in
 * `redisOptions` for a Cluster), and `pingInterval: 1000, socket: { socketTimeout: 3000, reconnectStrategy }` for
 * node-redis. The store emits the process warning `EVENT_WEBHOOK_REDIS_SOCKET_TIMEOUT` if that is missing.
 *
 * `@upstash/redis` and `@vercel/kv` work on the edge, too. Give the client a limit for each request, as its `fetch` has none:
 * `signal: () => AbortSignal.timeout(3000)`, a function, since one signal for all requests would end all of them. Its retries
 * are safe. Turn eviction off; a global database replicates asynchronously, so a failover may lose the latest keys.
 *
 * @example
 * ```ts
 * import { createReceiver } from 'event-webhook-receiver';
 * import { redisStore } from 'event-webhook-receiver/stores/redis';
 * import { Redis } from 'ioredis';
 *
 * const client = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379', { socketTimeout: 3000 });
 * client.on('error', (error) => console.error(error.message));
 * const store = redisStore({ client });
 * const secret = process.env.WEBHOOK_SECRET ?? '';
 * export const receiver = createReceiver({ secret, store, onEvent: (event) => console.log(event.id) });
 * ```
 * @param options The client and the prefix of its keys; times are in milliseconds.
 * @returns The store, for the receiver's `store` option.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for an invalid or unknown option. The client's own error if reading its
 * properties throws, as with `kv` of `@vercel/kv` without its environment variables.
 */
export function redisStore(options: RedisStoreOptions): LeaseStore {
  checkClientOptions('redisStore', options, CLIENT, ['client', 'prefix', ...LEASE_OPTIONS]);
  const { client, prefix = 'webhook:' } = options;
  if (typeof prefix !== 'string' || !PREFIX.test(prefix)) {
    throw optionError('prefix', '1 to 100 letters, digits and _ . : { } -', prefix);
  }
  const resolved = resolveLeaseOptions(options);
  const runner = runnerOf(client, prefix);
  return storeOfLeases(
    redisTable(runner, resolved),
    resolved,
    // Calls of requests that Workers has cancelled are never answered.
    runner.areOverHttp ? { lostAfterMs: HTTP_LOST_MS } : { pausesInSilence: true },
  );
}
