import { WebhookError } from '../../errors.js';
import { type ClientOption, checkClientOptions, hasMethods } from '../../internal/check-client.js';
import { optionError } from '../../internal/check-options.js';
import { LEASE_OPTIONS, type LeaseOptions, leasedStore, resolveLeaseOptions } from '../leased-store.js';
import type { IdempotencyStore } from '../store.js';
import { bySlot } from './slots.js';
import { adviceForIoRedis, adviceForNodeRedis, warnWithoutSocketTimeout } from './warning.js';

/** ioredis and iovalkey: a connection or a Cluster. */
export interface IoRedisLike {
  call(command: string, ...args: string[]): Promise<unknown>;
}

/** node-redis 4 and later: a client, a pool, a cluster or a sentinel. */
export interface NodeRedisLike {
  set(key: string, value: string, options: SetOptions): Promise<unknown>;
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

interface SetOptions {
  PX: number;
  NX: true;
  expiration: { type: 'PX'; value: number };
  condition: 'NX';
}

/** valkey-glide: a GlideClient or a GlideClusterClient. */
export interface ValkeyGlideLike {
  customCommand(args: string[]): Promise<unknown>;
}

/** The clients that {@link redisStore} takes. */
export type RedisLike = IoRedisLike | NodeRedisLike | ValkeyGlideLike;

/** Options of {@link redisStore}. */
export interface RedisStoreOptions extends LeaseOptions {
  /**
   * Your connected client, with `socketTimeout` set. The store never opens, closes or configures it. Give the store its own
   * node-redis client: the socket timeout of node-redis counts other commands as activity.
   */
  readonly client: RedisLike;
  /**
   * Prefix of every key in Redis: up to 100 letters, digits and `_ . : { } -`. On one server, no store's prefix may be the
   * beginning of another's. (Default: `webhook:`.)
   */
  readonly prefix?: string | undefined;
}

const PREFIX = /^[\w.:{}-]{1,100}$/;

// The value of a claimed key is its owner, and `done:` with the owner once it took effect. So if a client repeats a command
// because the connection broke before the answer came, the script recognizes its own work and gives the same answer.
// Only scripts read: a script always goes to the primary, and a replica may lag behind.
const CLAIM = `local words = {}
for i, key in ipairs(KEYS) do
local held = redis.call('get', key)
if not held or held == ARGV[1] then
redis.call('set', key, ARGV[1], 'px', ARGV[2])
words[i] = 'claimed'
else
words[i] = string.sub(held, 1, 5) == 'done:' and 'duplicate' or 'in-progress'
end
end
return words`;

const COMPLETE = `local recorded, done = {}, 'done:' .. ARGV[1]
for i, key in ipairs(KEYS) do
local held = redis.call('get', key)
recorded[i] = (held and held ~= ARGV[1] and held ~= done) and 0 or 1
if recorded[i] == 1 then redis.call('set', key, done, 'px', ARGV[2]) end
end
return recorded`;

// A key that cannot be read must not keep the others from being freed.
const RELEASE = `for _, key in ipairs(KEYS) do
if redis.pcall('get', key) == ARGV[1] then redis.call('del', key) end
end
return 1`;

/** The two commands that the store sends, for one client. */
interface Commands {
  /** Sets a key that does not exist to `owner` for the length of a lease: OK, or null if the key exists. */
  take(key: string, owner: string): Promise<unknown>;
  /** Runs a script on keys. EVALSHA would not be faster: the time goes to the commands inside the script. */
  run(script: string, keys: string[], args: string[]): Promise<unknown>;
}

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
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for an invalid or unknown option.
 */
export function redisStore(options: RedisStoreOptions): IdempotencyStore {
  checkClientOptions('redisStore', options, CLIENT, ['client', 'prefix', ...LEASE_OPTIONS]);
  const { client, prefix = 'webhook:' } = options;
  if (typeof prefix !== 'string' || !PREFIX.test(prefix)) {
    throw optionError('prefix', '1 to 100 letters, digits and _ . : { } -', prefix);
  }
  const resolved = resolveLeaseOptions(options);
  // Redis accepts only whole milliseconds.
  const leaseMs = Math.ceil(resolved.leaseMs);
  const lease = String(leaseMs);
  const retention = String(Math.ceil(resolved.retentionMs));
  const commands = commandsOf(client, leaseMs);
  // True until a script has run: on a server that allows no scripts, no key may be claimed, because no run could be
  // completed.
  let byScript = true;

  const bySlots = bySlot(isCluster(client));

  /** Runs a script on all keys, and returns its answer for each. */
  async function runEach<Meaning>(
    script: string,
    keys: readonly string[],
    args: string[],
    meanings: ReadonlyMap<string, Meaning>,
  ): Promise<Map<string, Meaning>> {
    const answers = await bySlots(
      keys.map((key) => prefix + key),
      async (prefixed) => {
        const answer = await commands.run(script, prefixed, args);
        if (!Array.isArray(answer) || answer.length !== prefixed.length) throw unexpected();
        return prefixed.map((key, index) => [key.slice(prefix.length), meaningOf(answer[index], meanings)] as const);
      },
    );
    return new Map(answers.flat());
  }

  return leasedStore(
    {
      async claim(keys, owner) {
        const [first = '', ...others] = keys;
        if (!byScript && others.length === 0) {
          const answer = await commands.take(prefix + first, owner);
          if (answer !== null) return new Map([[first, meaningOf(answer, TAKEN)]]);
        }
        const claims = await runEach(CLAIM, keys, [owner, lease], CLAIMED);
        byScript = false;
        return claims;
      },
      async complete(keys, owner) {
        const recorded = await runEach(COMPLETE, keys, [owner, retention], COMPLETED);
        return new Set(keys.filter((key) => recorded.get(key)));
      },
      release: (keys, owner) =>
        bySlots(
          keys.map((key) => prefix + key),
          (prefixed) => commands.run(RELEASE, prefixed, [owner]),
        ),
    },
    resolved,
    { pausesInSilence: true },
  );
}

/** The answers of each command and their meanings. */
const TAKEN = new Map([['OK', 'claimed']] as const);
const CLAIMED = new Map((['claimed', 'duplicate', 'in-progress'] as const).map((status) => [status, status]));
const COMPLETED = new Map([
  ['0', false],
  ['1', true],
] as const);

/** The meaning of an answer: a string, a number or, depending on the client's settings, a Buffer. */
function meaningOf<Meaning>(answer: unknown, meanings: ReadonlyMap<string, Meaning>): Meaning {
  const meaning = meanings.get(String(answer));
  if (meaning !== undefined) return meaning;
  throw unexpected();
}

/** For example, of a client that takes callbacks. It is unknown what happened. */
function unexpected(): WebhookError {
  return new WebhookError(
    'ERR_WEBHOOK_STORE',
    'The Redis client returned an unexpected answer. Pass redisStore a client whose commands return promises.',
  );
}

// Every function has a method `call`.
const isIoRedis = (client: unknown) => typeof client === 'object' && hasMethods<IoRedisLike>(client, 'call');
const isValkeyGlide = (client: unknown) => hasMethods<ValkeyGlideLike>(client, 'customCommand');
const isNodeRedis = (client: unknown) => hasMethods<NodeRedisLike>(client, 'set', 'eval');

/** ioredis says so. A pipeline of its cluster fails as a whole when one script has keys of several slots. */
function isCluster(client: RedisLike): boolean {
  try {
    return Reflect.get(client, 'isCluster') === true;
  } catch {
    // Mocks and proxies may throw for unknown properties. The server refuses such keys anyway, and then they are split.
    return false;
  }
}

const CLIENT: ClientOption = {
  name: 'client',
  takes: 'a client of ioredis, iovalkey, node-redis (4 or later) or valkey-glide',
  isClient: (value) => isIoRedis(value) || isValkeyGlide(value) || isNodeRedis(value),
};

function commandsOf(client: RedisLike, leaseMs: number): Commands {
  const lease = String(leaseMs);
  if (isIoRedis(client)) {
    warnWithoutSocketTimeout(client, adviceForIoRedis);
    return {
      take: (key, owner) => client.call('set', key, owner, 'px', lease, 'nx'),
      run: (script, keys, args) => client.call('eval', script, String(keys.length), ...keys, ...args),
    };
  }
  if (isValkeyGlide(client)) {
    return {
      take: (key, owner) => client.customCommand(['set', key, owner, 'px', lease, 'nx']),
      run: (script, keys, args) => client.customCommand(['eval', script, String(keys.length), ...keys, ...args]),
    };
  }
  // The names of version 4 and those of 5 and later: each ignores the options that it does not know.
  const setOptions: SetOptions = {
    PX: leaseMs,
    NX: true,
    expiration: { type: 'PX', value: leaseMs },
    condition: 'NX',
  };
  warnWithoutSocketTimeout(client, adviceForNodeRedis);
  return {
    take: (key, owner) => client.set(key, owner, setOptions),
    run: (script, keys, args) => client.eval(script, { keys, arguments: args }),
  };
}
