import { type ClientOption, hasMethods } from '../../internal/check-client.js';
import { adviceForIoRedis, adviceForNodeRedis, warnWithoutSocketTimeout } from './warning.js';

/** ioredis and iovalkey: a connection or a Cluster. */
export interface IoRedisLike {
  call(command: string, ...args: string[]): Promise<unknown>;
}

/** node-redis 4 and later: a client, a pool, a cluster or a sentinel. */
export interface NodeRedisLike {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/** valkey-glide: a GlideClient or a GlideClusterClient. */
export interface ValkeyGlideLike {
  customCommand(args: string[]): Promise<unknown>;
}

/** @upstash/redis and @vercel/kv, over HTTP. */
export interface UpstashRedisLike {
  eval(script: string, keys: string[], args: string[]): Promise<unknown>;
  createScript(script: string): unknown;
}

/** The clients that `redisStore` takes. */
export type RedisLike = IoRedisLike | NodeRedisLike | ValkeyGlideLike | UpstashRedisLike;

// Every function has a method `call`.
const isIoRedis = (client: unknown) => typeof client === 'object' && hasMethods<IoRedisLike>(client, 'call');
const isValkeyGlide = (client: unknown) => hasMethods<ValkeyGlideLike>(client, 'customCommand');
/** `createScript` distinguishes it from node-redis, whose `eval` takes other arguments. */
const isUpstash = (client: unknown) => hasMethods<UpstashRedisLike>(client, 'eval', 'createScript');
const isNodeRedis = (client: unknown) => hasMethods<NodeRedisLike>(client, 'eval');

export const CLIENT: ClientOption = {
  name: 'client',
  takes: 'a client of ioredis, iovalkey, node-redis (4 or later), valkey-glide, @upstash/redis or @vercel/kv',
  isClient: (value) => isIoRedis(value) || isValkeyGlide(value) || isNodeRedis(value),
};

/** Whether the client is an ioredis Cluster, whose pipelines fail as a whole if a script has keys of several slots. */
export function isCluster(client: RedisLike): boolean {
  try {
    return Reflect.get(client, 'isCluster') === true;
  } catch {
    // Mocks and proxies may throw for unknown properties. If the server refuses keys of several slots, they are split.
    return false;
  }
}

/** How to use a client. */
interface Scripts {
  /** Runs a script by EVAL, which also works after a restart of the server. */
  readonly run: (script: string, keys: readonly string[], args: readonly string[]) => Promise<unknown>;
  /** Whether requests are independent, so that one that hangs does not imply that the others do. */
  readonly areOverHttp?: boolean;
}

export function scriptsOf(client: RedisLike): Scripts {
  if (isIoRedis(client)) {
    warnWithoutSocketTimeout(client, adviceForIoRedis);
    return { run: (script, keys, args) => client.call('eval', script, String(keys.length), ...keys, ...args) };
  }
  if (isValkeyGlide(client)) {
    return {
      run: (script, keys, args) => client.customCommand(['eval', script, String(keys.length), ...keys, ...args]),
    };
  }
  if (isUpstash(client)) {
    return { run: (script, keys, args) => client.eval(script, [...keys], [...args]), areOverHttp: true };
  }
  warnWithoutSocketTimeout(client, adviceForNodeRedis);
  return { run: (script, keys, args) => client.eval(script, { keys: [...keys], arguments: [...args] }) };
}
