import { WatchedRedis } from '../oracle/watched-redis.js';
import { leaseWorld } from './lease-world.js';

/** Replicas with `redisStore` on one Redis, each with its own client. */
export const redis = leaseWorld('redis', (world, subject, { leaseMs, timeoutMs }) => {
  const server = world.server('redis');
  const watched = new WatchedRedis(server);
  const resends = world.choices.below(3) < 2;
  return {
    server,
    pausesInSilence: true,
    store: (process, leases) =>
      subject.redisStore({ client: watched.client(process, leases, resends), leaseMs, timeoutMs }),
  };
});
