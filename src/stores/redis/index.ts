import type { WebhookError } from '../../errors.js';
import { checkClientOptions } from '../../internal/check-client.js';
import { optionError } from '../../internal/check-options.js';
import { storeError } from '../bounded-calls.js';
import { LEASE_OPTIONS, type LeaseOptions, leasedStore, resolveLeaseOptions } from '../leased-store.js';
import type { LeaseStore } from '../store.js';
import { inBatches, type Send } from './batches.js';
import { CLIENT, isCluster, type RedisLike, scriptsOf } from './client.js';
import { bySlot } from './slots.js';

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

/** Upstash and fetch end requests sooner. */
const HTTP_LOST_MS = 60_000;
const PREFIX = /^[\w.:{}-]{1,100}$/;

// The value of a claimed key is its owner, and `done:` with the owner once it took effect. So if a client repeats a command
// because the connection broke before the answer came, the script recognizes its own work and gives the same answer.
// Only scripts read: a script always goes to the primary, and a replica may lag behind.
// A script gets keys of several runs. Its arguments are a time in ms and the owner of each key. A key that cannot be read is
// answered with its error, so that only its own run fails.
const CLAIM = `local words = {}
for i, key in ipairs(KEYS) do
local owner = ARGV[i + 1]
if redis.call('set', key, owner, 'px', ARGV[1], 'nx') then
words[i] = 'claimed'
else
local held = redis.pcall('get', key)
if type(held) == 'table' then
words[i] = 'error:' .. held.err
elseif held == owner then
redis.call('pexpire', key, ARGV[1])
words[i] = 'claimed'
else
words[i] = held and string.sub(held, 1, 5) == 'done:' and 'duplicate' or 'in-progress'
end
end
end
return words`;

const RECORD = `local words = {}
for i, key in ipairs(KEYS) do
local owner, held = ARGV[i + 1], redis.pcall('get', key)
local done = 'done:' .. owner
if type(held) == 'table' then
words[i] = 'error:' .. held.err
elseif not held or held == owner or held == done then
redis.call('set', key, done, 'px', ARGV[1])
words[i] = 'recorded'
else
words[i] = 'taken'
end
end
return words`;

const RELEASE = `local words = {}
for i, key in ipairs(KEYS) do
if redis.pcall('get', key) == ARGV[i + 1] then redis.call('del', key) end
words[i] = 'released'
end
return words`;

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
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for an invalid or unknown option. The client's own error if it throws when it is
 * looked at, as `kv` of `@vercel/kv` does without its environment variables.
 */
export function redisStore(options: RedisStoreOptions): LeaseStore {
  checkClientOptions('redisStore', options, CLIENT, ['client', 'prefix', ...LEASE_OPTIONS]);
  const { client, prefix = 'webhook:' } = options;
  if (typeof prefix !== 'string' || !PREFIX.test(prefix)) {
    throw optionError('prefix', '1 to 100 letters, digits and _ . : { } -', prefix);
  }
  const resolved = resolveLeaseOptions(options);
  const bySlots = bySlot(isCluster(client));
  const scripts = scriptsOf(client);

  /** Turns a script into a function that resolves to the answer of the script for each key. */
  function step<const Answer extends string>(script: string, known: readonly Answer[], ms = 0) {
    // Redis accepts only whole milliseconds.
    const time = String(Math.ceil(ms));
    const send: Send = async (keys, owners) => {
      const answers = await scripts.run(script, keys, [time, ...owners]);
      if (!Array.isArray(answers) || answers.length !== keys.length) throw unexpected();
      return answers;
    };
    const batch = inBatches(send);
    return async (keys: readonly string[], owner: string): Promise<Map<string, Answer>> => {
      const answers = await bySlots(
        keys.map((key) => prefix + key),
        (all) => batch(all, owner),
        (some) =>
          send(
            some,
            some.map(() => owner),
          ),
      );
      return new Map(keys.map((key, index) => [key, understood(answers[index], known)]));
    };
  }

  const record = step(RECORD, ['recorded', 'taken'], resolved.retentionMs);
  return leasedStore(
    {
      claim: step(CLAIM, ['claimed', 'duplicate', 'in-progress'], resolved.leaseMs),
      async record(keys, owner) {
        const recorded = await record(keys, owner);
        return new Set(keys.filter((key) => recorded.get(key) === 'recorded'));
      },
      release: step(RELEASE, ['released']),
    },
    resolved,
    // Calls of requests that Workers has cancelled are never answered.
    scripts.areOverHttp ? { lostAfterMs: HTTP_LOST_MS } : { pausesInSilence: true },
  );
}

/** The answer for a key: a string or, depending on the client's settings, a Buffer. */
function understood<Answer extends string>(answer: unknown, known: readonly Answer[]): Answer {
  // The text of a list is that of its items.
  const text = Array.isArray(answer) ? '' : String(answer);
  for (const each of known) if (each === text) return each;
  if (text.startsWith('error:')) throw storeError(`Redis cannot read a key of the store: ${text.slice(6)}`);
  throw unexpected();
}

/** For example, of a client that takes callbacks. It is unknown what happened. */
function unexpected(): WebhookError {
  return storeError(
    'The Redis client returned an unexpected answer. Pass redisStore a client whose commands return promises.',
  );
}
