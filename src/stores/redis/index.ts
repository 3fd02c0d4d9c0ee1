import { ConfigError, WebhookError } from '../../errors.js';
import { type LeaseOptions, leasedStore, resolveLeaseOptions } from '../lease.js';
import type { IdempotencyStore } from '../store.js';
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
   * Your own connected client, with `socketTimeout` set. The store never opens, closes or configures it. Give a node-redis
   * client to the store alone: it takes other commands that it sends for a sign of life.
   */
  readonly client: RedisLike;
  /**
   * What every key in Redis begins with: up to 100 letters, digits and `_ . : { } -`. No store's prefix may be the
   * beginning of another's on the same server. (Default: `webhook:`.)
   */
  readonly prefix?: string | undefined;
}

const PREFIX = /^[\w.:{}-]{1,100}$/;

// A key holds its owner while it is held, and `done:` with that owner once it took effect: so a command that a client
// sends again, because the connection broke before its answer came, finds its own work and gives the same answer.
// Only scripts read, since a script always goes to the primary, and a replica may not know yet what the primary said.
const CLAIM = `local held = redis.call('get', KEYS[1])
if not held or held == ARGV[1] then
redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2])
return 'claimed'
end
return string.sub(held, 1, 5) == 'done:' and 'duplicate' or 'in-progress'`;

const COMPLETE = `local held, done = redis.call('get', KEYS[1]), 'done:' .. ARGV[1]
if held and held ~= ARGV[1] and held ~= done then return 0 end
redis.call('set', KEYS[1], done, 'px', ARGV[2])
return 1`;

const RELEASE = `return redis.call('get', KEYS[1]) == ARGV[1] and redis.call('del', KEYS[1]) or 0`;

/** The two commands that the store sends, in the words of one client. */
interface Commands {
  /** Makes `owner` the value of a key that does not exist, for as long as a lease: OK, or null when it exists. */
  take(key: string, owner: string): Promise<unknown>;
  /** Runs a script on a key. An EVALSHA would save the server no time: what a script costs there is its calls. */
  run(script: string, key: string, args: string[]): Promise<unknown>;
}

/**
 * A store in your own Redis or Valkey, shared by all replicas: an event takes effect once for as long as the server
 * keeps its keys. A run that dies is taken over from after `leaseMs`. While the server cannot be reached events fail
 * with `ERR_WEBHOOK_STORE` and are expected again, and nothing runs.
 *
 * It does not check whether the server keeps what it was told: evicting keys (give it `maxmemory-policy noeviction`),
 * restarting without persistence and failing over to a replica that lags behind all forget keys, and an event
 * whose key is forgotten takes effect again when it is sent again.
 *
 * Let the client replace connections that no longer answer: `socketTimeout` below `timeoutMs` for ioredis (in
 * `redisOptions` for a Cluster), and `pingInterval: 1000, socket: { socketTimeout: 3000, reconnectStrategy }` for
 * node-redis. The store emits the process warning `EVENT_WEBHOOK_REDIS_SOCKET_TIMEOUT` when that is missing.
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
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when the client is none of these, or a prefix or number makes no sense.
 */
export function redisStore(options: RedisStoreOptions): IdempotencyStore {
  if (typeof options !== 'object' || options === null) {
    throw new ConfigError('Options are missing: give at least client.');
  }
  const { client, prefix = 'webhook:' } = options;
  if (typeof prefix !== 'string' || !PREFIX.test(prefix)) {
    throw new ConfigError('Option prefix must be 1 to 100 letters, digits and _ . : { } - (or be left out).');
  }
  const resolved = resolveLeaseOptions(options);
  // Redis takes whole milliseconds.
  const leaseMs = Math.ceil(resolved.leaseMs);
  const lease = String(leaseMs);
  const retention = String(Math.ceil(resolved.retentionMs));
  const commands = commandsOf(client, leaseMs);
  // Until a script was run: where none is allowed nothing may be claimed, since no run could be completed.
  let byScript = true;

  return leasedStore(
    {
      async claim(key, owner) {
        if (!byScript) {
          const answer = await commands.take(prefix + key, owner);
          if (answer !== null) return meaningOf(answer, TAKEN);
        }
        const status = meaningOf(await commands.run(CLAIM, prefix + key, [owner, lease]), CLAIMED);
        byScript = false;
        return status;
      },
      async complete(key, owner) {
        return meaningOf(await commands.run(COMPLETE, prefix + key, [owner, retention]), COMPLETED);
      },
      async release(key, owner) {
        return commands.run(RELEASE, prefix + key, [owner]);
      },
    },
    resolved,
    { pausesInSilence: true },
  );
}

/** What each command may answer, and what that means. */
const TAKEN = new Map([['OK', 'claimed']] as const);
const CLAIMED = new Map((['claimed', 'duplicate', 'in-progress'] as const).map((status) => [status, status]));
const COMPLETED = new Map([
  ['0', false],
  ['1', true],
] as const);

/** The meaning of an answer, which may be a text, a number or, where a client is set so, a Buffer. */
function meaningOf<Meaning>(answer: unknown, meanings: ReadonlyMap<string, Meaning>): Meaning {
  const meaning = meanings.get(String(answer));
  if (meaning !== undefined) return meaning;
  // From a client that takes callbacks, say: what happened is not known.
  throw new WebhookError(
    'ERR_WEBHOOK_STORE',
    'The Redis client gave an answer that Redis does not give. Pass redisStore a client whose commands return promises of the answer.',
  );
}

function commandsOf(client: unknown, leaseMs: number): Commands {
  const lease = String(leaseMs);
  if (has<IoRedisLike>(client, 'call')) {
    warnWithoutSocketTimeout(client, adviceForIoRedis);
    return {
      take: (key, owner) => client.call('set', key, owner, 'px', lease, 'nx'),
      run: (script, key, args) => client.call('eval', script, '1', key, ...args),
    };
  }
  if (has<ValkeyGlideLike>(client, 'customCommand')) {
    return {
      take: (key, owner) => client.customCommand(['set', key, owner, 'px', lease, 'nx']),
      run: (script, key, args) => client.customCommand(['eval', script, '1', key, ...args]),
    };
  }
  if (has<NodeRedisLike>(client, 'set', 'eval')) {
    // In the words of version 4 and in those of 5 and later: an option that is not known is left out of the command.
    const setOptions: SetOptions = {
      PX: leaseMs,
      NX: true,
      expiration: { type: 'PX', value: leaseMs },
      condition: 'NX',
    };
    warnWithoutSocketTimeout(client, adviceForNodeRedis);
    return {
      take: (key, owner) => client.set(key, owner, setOptions),
      run: (script, key, args) => client.eval(script, { keys: [key], arguments: args }),
    };
  }
  throw new ConfigError(
    'Option client must be a client of ioredis, iovalkey, node-redis (4 or later) or valkey-glide. Create it yourself and pass it: a URL or a promise is none.',
  );
}

function has<Client>(client: unknown, ...methods: (keyof Client & string)[]): client is Client {
  if (typeof client !== 'object' || client === null) return false;
  return methods.every((method) => typeof Reflect.get(client, method) === 'function');
}
