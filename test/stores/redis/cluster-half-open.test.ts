import { Cluster } from 'ioredis';
import { createCluster } from 'redis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type RedisLike, redisStore } from '../../../src/stores/redis/index.js';
import { eventually, nothing, unique } from '../../contracts/store-helpers.js';
import { type HalfOpenProxy, startHalfOpenProxy } from '../../servers/half-open-proxy.js';
import { hasRedis, needsRedis } from '../../servers/redis.js';
import { once } from '../calls.js';
import { countingCalls, untilHandled } from '../counting-calls.js';
import { nodeRedisOptions, withPeers } from './clients.js';
import { type RedisCluster, startRedisCluster } from './cluster-server.js';

const timeoutMs = 1000;
const socketTimeout = 500;

/** Clients that reach each node through its proxy, by the address of the node. */
const clients: Record<string, (proxies: ReadonlyMap<string, number>) => Promise<RedisLike>> = {
  async 'an ioredis Cluster'(proxies) {
    const natMap = Object.fromEntries([...proxies].map(([node, port]) => [node, { host: '127.0.0.1', port }]));
    const ports = [...proxies.values()].map((port) => ({ host: '127.0.0.1', port }));
    const client = new Cluster(ports, { natMap, redisOptions: { socketTimeout, connectTimeout: 1000 } });
    client.on('error', () => {});
    onTestFinished(() => client.disconnect());
    return client;
  },
  async 'a node-redis cluster'(proxies) {
    const nodeAddressMap = Object.fromEntries([...proxies].map(([node, port]) => [node, { host: '127.0.0.1', port }]));
    const rootNodes = [...proxies.values()].map((port) => ({ url: `redis://127.0.0.1:${port}` }));
    const client = createCluster({ rootNodes, nodeAddressMap, defaults: nodeRedisOptions(socketTimeout) });
    client.on('error', () => {});
    onTestFinished(() => client.destroy());
    return client.connect();
  },
};

describe.skipIf(!hasRedis)(`redisStore on Redis Cluster, when connections go half-open${needsRedis}`, () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await startRedisCluster();
  }, 30_000);
  afterAll(() => cluster?.stop());

  for (const [name, connect] of withPeers(clients)) {
    it(`recovers on ${name} within two deadlines, with few waiting calls`, async () => {
      const proxies = new Map<string, HalfOpenProxy>();
      for (const port of cluster.ports) proxies.set(`127.0.0.1:${port}`, await startHalfOpenProxy(port));
      onTestFinished(async () => {
        for (const proxy of proxies.values()) await proxy.stop();
      });
      const client = await connect(new Map([...proxies].map(([node, { port }]) => [node, port])));
      const counting = countingCalls(client);
      const store = redisStore({ client: counting.client, timeoutMs });
      for (let key = 0; key < 30; key++) await once(store, unique(), nothing);
      for (const proxy of proxies.values()) proxy.goHalfOpen();
      const took = await untilHandled(store, 5, 3 * timeoutMs);
      expect(took).toBeLessThan(2 * timeoutMs);
      expect(counting.waiting.most).toBeLessThan(timeoutMs / 2 / 5 + 50);
      await eventually(async () => expect(counting.waiting.now).toBe(0));
      for (let key = 0; key < 30; key++) expect(await once(store, unique(), nothing)).toBe('handled');
    }, 20_000);
  }
});
