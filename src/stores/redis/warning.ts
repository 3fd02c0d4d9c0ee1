import { warnOnce } from '../warn-once.js';

const CODE = 'EVENT_WEBHOOK_REDIS_SOCKET_TIMEOUT';

/**
 * Warns if a client lacks the options that replace a connection that no longer answers. It stays silent if the options are
 * not visible: node-redis hides those of pools and sentinels.
 */
export function warnWithoutSocketTimeout(client: object, adviceFor: (client: object) => string | undefined): void {
  warnOnce(client, CODE, () => {
    const advice = adviceFor(client);
    return (
      advice &&
      `This Redis client does not replace a connection that no longer answers, so every event fails until that connection closes. ${advice}`
    );
  });
}

/** Returns what to change in the options of an ioredis client. */
export function adviceForIoRedis(client: object): string | undefined {
  const options = get(client, 'options');
  if (!isObject(options)) return undefined;
  if (get(client, 'isCluster') === true) {
    if (isPositive(get(get(options, 'redisOptions'), 'socketTimeout'))) return undefined;
    return 'Create the Cluster with `redisOptions: { socketTimeout: 3000 }`.';
  }
  return isPositive(get(options, 'socketTimeout')) ? undefined : 'Create it with `socketTimeout: 3000`.';
}

const NODE_REDIS_OPTIONS =
  '`pingInterval: 1000, socket: { socketTimeout: 3000, reconnectStrategy: (tries) => Math.min(100 * tries, 2000) }`';

/** Returns what to change in the options of a node-redis client. */
export function adviceForNodeRedis(client: object): string | undefined {
  const clusterOptions = get(client, '_options');
  const options = isObject(clusterOptions) ? (get(clusterOptions, 'defaults') ?? {}) : get(client, 'options');
  if (!isObject(options)) return undefined;
  const socket = get(options, 'socket');
  const reconnects = ['function', 'number'].includes(typeof get(socket, 'reconnectStrategy'));
  if (isPositive(get(socket, 'socketTimeout')) && reconnects) return undefined;
  return isObject(clusterOptions)
    ? `Create the cluster with \`defaults\`: ${NODE_REDIS_OPTIONS}.`
    : `Create it with ${NODE_REDIS_OPTIONS}; with socketTimeout alone it never reconnects.`;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function get(value: unknown, name: string): unknown {
  return isObject(value) ? Reflect.get(value, name) : undefined;
}

/** Accepts strings too, because ioredis takes them from a URL. */
function isPositive(value: unknown): boolean {
  return Number(value) > 0;
}
