import { RedisHost } from '../models/redis/host.js';
import { SimulatedIoRedis } from '../models/redis/ioredis.js';
import { SimulatedNodeRedis } from '../models/redis/node-redis.js';
import { watchClient, watchServer } from '../oracle/watched-redis.js';
import { leaseWorld } from './lease-world.js';

const SOCKET_TIMEOUT_MS = 300;

/** Replicas with `redisStore` on one Redis, each with its own client. */
export const redis = leaseWorld(
  'redis',
  '2–3 replicas with `redisStore` on one Redis, through ioredis or node-redis; every form of handler and every fault.',
  (world, subject, { leaseMs, timeoutMs }) => {
    const { choices } = world;
    let watched: ReturnType<typeof watchServer> = () => {};
    const host = new RedisHost(world, (...command) => watched(...command));
    const isIoRedis = choices.below(3) < 2;
    const maxRetriesPerRequest = choices.pick([20, 1, 0, null]);
    const options = { socketTimeout: SOCKET_TIMEOUT_MS, maxRetriesPerRequest };
    let leases: Parameters<typeof watchServer>[0] | undefined;
    return {
      server: host.server,
      pausesInSilence: true,
      kinds: ['crash', 'pause', 'stall', 'cut', 'half open', 'server pause', 'sleep', 'clock', 'server clock'],
      watch(oracle) {
        leases = oracle;
        watched = watchServer(oracle);
      },
      store(process) {
        if (!leases) throw new Error('The oracle watches nothing yet.');
        const client = isIoRedis
          ? new SimulatedIoRedis(process, host, options)
          : new SimulatedNodeRedis(process, host, SOCKET_TIMEOUT_MS);
        return subject.redisStore({ client: watchClient(leases, process, client), leaseMs, timeoutMs });
      },
    };
  },
);
