import { Cluster, Redis } from 'ioredis';
import { createCluster } from 'redis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type RedisLike, redisStore } from '../../../src/stores/redis/index.js';
import type { StoreTarget } from '../../contracts/store.js';
import { eventually, nothing, unique } from '../../contracts/store-helpers.js';
import { hasRedis, needsRedis } from '../../servers/redis.js';
import { useServer } from '../../servers/use-server.js';
import { once, onceEach } from '../calls.js';
import { nodeRedisOptions, withPeers } from './clients.js';
import { startRedisCluster } from './cluster-server.js';
import { describeRedisStore } from './contract.js';

const clients: Record<string, (ports: readonly number[]) => Promise<RedisLike>> = {
  'an ioredis Cluster that pipelines by itself and reads from replicas': async (ports) =>
    connectIoRedis(ports, { enableAutoPipelining: true, scaleReads: 'all' }),
  async 'a node-redis cluster'(ports) {
    const client = createCluster({
      rootNodes: ports.map((port) => ({ url: `redis://127.0.0.1:${port}` })),
      defaults: nodeRedisOptions(),
    });
    client.on('error', () => {});
    onTestFinished(() => client.destroy());
    return client.connect();
  },
};

function connectIoRedis(ports: readonly number[], options: ConstructorParameters<typeof Cluster>[1]): Cluster {
  const client = new Cluster(
    ports.map((port) => ({ host: '127.0.0.1', port })),
    { redisOptions: { socketTimeout: 1000 }, ...options },
  );
  client.on('error', () => {});
  onTestFinished(() => client.disconnect());
  return client;
}

describe.skipIf(!hasRedis)(`Redis Cluster${needsRedis}`, () => {
  const cluster = useServer(startRedisCluster);
  let nodes: Redis[];
  beforeAll(() => {
    nodes = cluster().ports.map((port) => new Redis(port));
  });
  afterAll(() => {
    for (const node of nodes ?? []) node.disconnect();
  });

  for (const [name, connect] of withPeers(clients)) {
    const open: StoreTarget['open'] = async (settings) =>
      redisStore({ client: await connect(cluster().ports), ...settings });
    describeRedisStore(`redisStore on ${name}`, open, () => nodes);

    it(`frees the keys that ${name} has claimed when the claim of another slot fails`, async () => {
      const client = await connect(cluster().ports);
      const prefix = `${unique()}:`;
      const store = redisStore({ client, prefix });
      const keys = Array.from({ length: 30 }, (_, index) => String(index));
      await onceEach(store, ['warm', 'up'], nothing);
      const node = new Cluster(cluster().ports.map((port) => ({ host: '127.0.0.1', port })));
      onTestFinished(() => node.disconnect());
      // A value of another type, with which the script fails.
      await node.rpush(`${prefix}7`, 'a list');
      const run = vi.fn(nothing);
      await expect(onceEach(store, keys, run)).rejects.toThrow(/WRONGTYPE/);
      expect(run).not.toHaveBeenCalled();
      const free = keys.filter((key) => key !== '7');
      await eventually(async () => expect(new Set(await onceEach(store, free, nothing))).toEqual(new Set(['handled'])));
      await node.del(`${prefix}7`);
      expect(await once(store, '7', nothing)).toBe('handled');
    });

    it(`spreads the keys of ${name} over every node`, async () => {
      const store = redisStore({ client: await connect(cluster().ports), prefix: `${unique()}:` });
      for (let key = 0; key < 30; key++) await once(store, String(key), nothing);
      for (const node of nodes) await eventually(async () => expect(await node.dbsize()).toBeGreaterThan(0));
    });
  }
});
