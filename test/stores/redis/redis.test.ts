import { describe } from 'vitest';
import { redisStore } from '../../../src/stores/redis/index.js';
import { hasRedis, needsRedis } from '../../servers/redis.js';
import { clients, otherClients, useRedis, withPeers } from './clients.js';
import { describeRedisStore } from './contract.js';

for (const [name, connect] of withPeers({ ...clients, ...otherClients })) {
  describe.skipIf(!hasRedis)(`${name}${needsRedis}`, () => {
    const { server, admin } = useRedis();
    describeRedisStore(
      `redisStore on ${name}`,
      async (settings) => redisStore({ client: await connect(server().url), ...settings }),
      () => [admin()],
      name in clients ? server : undefined,
    );
  });
}
