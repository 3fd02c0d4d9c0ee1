const CODE = 'EVENT_WEBHOOK_REDIS_SOCKET_TIMEOUT';
const warned = new WeakSet<object>();

/**
 * Warns, once a client, when a client lacks the options by which it replaces a connection that no longer answers. Of a
 * client whose options cannot be seen it says nothing: node-redis hides those of pools and sentinels.
 */
export function warnWithoutSocketTimeout(client: object, adviceFor: (client: object) => string | undefined): void {
  if (warned.has(client)) return;
  warned.add(client);
  try {
    const advice = adviceFor(client);
    if (advice === undefined) return;
    const message = `This Redis client keeps a connection that no longer answers, and every event fails until it is closed. ${advice}`;
    // Not on every runtime; there is none to name then.
    const emitWarning = globalThis.process?.emitWarning;
    if (typeof emitWarning === 'function') emitWarning.call(process, message, { code: CODE });
    else console.warn(`[${CODE}] ${message}`);
  } catch {
    // Mocks and proxies may throw for what they do not know. A store does not fail for want of a warning.
  }
}

/** What to change in a client of ioredis. */
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

/** What to change in a client of node-redis. */
export function adviceForNodeRedis(client: object): string | undefined {
  const clusterOptions = get(client, '_options');
  const options = isObject(clusterOptions) ? (get(clusterOptions, 'defaults') ?? {}) : get(client, 'options');
  if (!isObject(options)) return undefined;
  const socket = get(options, 'socket');
  const reconnects = ['function', 'number'].includes(typeof get(socket, 'reconnectStrategy'));
  if (isPositive(get(socket, 'socketTimeout')) && reconnects) return undefined;
  return isObject(clusterOptions)
    ? `Create the cluster with \`defaults\`: ${NODE_REDIS_OPTIONS}.`
    : `Create it with ${NODE_REDIS_OPTIONS}; with socketTimeout alone it closes for good.`;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function get(value: unknown, name: string): unknown {
  return isObject(value) ? Reflect.get(value, name) : undefined;
}

/** Also for the text that ioredis takes from a URL. */
function isPositive(value: unknown): boolean {
  return Number(value) > 0;
}
