import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe } from 'vitest';
import { redisStore } from '../../../src/stores/redis/index.js';
import { describeLetters } from '../../contracts/letters.js';
import { describeRecords } from '../../contracts/records.js';
import { describeStore, type StoreTarget } from '../../contracts/store.js';
import { hasRedis, needsRedis, startRedis } from '../../servers/redis.js';
import type { TestServer } from '../../servers/server.js';
import { clients, otherClients, withPeers } from './clients.js';
import { lettersOn, passTime } from './pass-time.js';

for (const [name, connect] of withPeers({ ...clients, ...otherClients })) {
  describe.skipIf(!hasRedis)(`${name}${needsRedis}`, () => {
    let server: TestServer;
    let admin: Redis;
    beforeAll(async () => {
      server = await startRedis();
      admin = new Redis(server.url).on('error', () => {});
    });
    afterAll(async () => {
      admin?.disconnect();
      await server?.stop();
    });

    const title = `redisStore on ${name}`;
    const traits = { shared: true, leases: true } as const;
    const open: StoreTarget['open'] = async (settings) =>
      redisStore({ client: await connect(server.url), ...settings });
    const target = { open, passTime: (ms: number) => passTime(ms, admin) };
    describeStore(title, traits, target, name in clients ? () => server : undefined);
    describe(`dead letters of ${title}`, () => describeLetters(() => lettersOn(open, admin)));
    describe(`records of ${title}`, () =>
      describeRecords({ keepsArrival: true, finds: false }, () => lettersOn(open, admin)));
  });
}
