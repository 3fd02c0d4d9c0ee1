import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe } from 'vitest';
import { redisStore } from '../../../src/stores/redis/index.js';
import { describeLeaseOutages, describeStore, describeStoreOutages, type StoreTarget } from '../../contracts/store.js';
import { hasRedis, needsRedis, startRedis } from '../../servers/redis.js';
import type { TestServer } from '../../servers/server.js';
import { clients, otherClients } from './clients.js';

for (const [name, connect] of Object.entries({ ...clients, ...otherClients })) {
  describe.skipIf(!hasRedis)(`${name}${needsRedis}`, () => {
    let server: TestServer;
    beforeAll(async () => {
      server = await startRedis();
    });
    afterAll(() => server?.stop());

    const title = `redisStore on ${name}`;
    const target = (): StoreTarget => ({
      open: async (settings) => redisStore({ client: await connect(server.url), ...settings }),
      passTime: (ms) => sleep(ms),
    });
    describeStore(title, { meanwhile: 'in-progress', shared: true, leases: true }, target);
    if (!(name in clients)) return;
    describeStoreOutages(title, target, () => server);
    describeLeaseOutages(title, target, () => server);
  });
}
