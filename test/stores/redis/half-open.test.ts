import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster } from 'ioredis';
import { createCluster } from 'redis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type RedisLike, redisStore } from '../../../src/stores/redis/index.js';
import { eventually, failing, nothing, unique } from '../../contracts/store-helpers.js';
import { startProxy } from '../../servers/proxy.js';
import { hasRedis, needsRedis, startRedis } from '../../servers/redis.js';
import { useServer } from '../../servers/use-server.js';
import { once } from '../calls.js';
import { countingCalls, untilHandled } from '../counting-calls.js';
import { type Connect, connectIoRedis, connectNodeRedis, nodeRedisOptions, withPeers } from './clients.js';
import { startRedisCluster } from './cluster-server.js';

const timeoutMs = 1000;
const socketTimeout = 500;

const both: Record<string, Connect> = {
  ioredis: (url) => connectIoRedis(url, socketTimeout),
  'node-redis': (url) => connectNodeRedis(url, socketTimeout),
};
const clients: Record<string, Connect> = {
  ...both,
  'node-redis, whose sockets may take as long as the store': (url) => connectNodeRedis(url, timeoutMs),
};

/** Clients that reach each node through its proxy, by the address of the node. */
const clusters: Record<string, (proxies: ReadonlyMap<string, number>) => Promise<RedisLike>> = {
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

type Counted = {
  readonly store: ReturnType<typeof redisStore>;
  readonly waiting: ReturnType<typeof countingCalls>['waiting'];
};

/** A store that has had some keys, and its unanswered calls. */
async function counted(connected: RedisLike, keys: number): Promise<Counted> {
  const { client, waiting } = countingCalls(connected);
  const store = redisStore({ client, timeoutMs });
  for (let key = 0; key < keys; key++) await once(store, unique(), nothing);
  return { store, waiting };
}

/** Expects that a store works within two deadlines, although its connections are half-open. */
async function recovers({ store, waiting }: Counted, everyMs: number): Promise<void> {
  expect(await untilHandled(store, everyMs, 3 * timeoutMs)).toBeLessThan(2 * timeoutMs);
  // At most what is sent within half a deadline.
  expect(waiting.most).toBeLessThan(timeoutMs / 2 / everyMs + 50);
  await eventually(async () => expect(waiting.now).toBe(0));
}

describe.skipIf(!hasRedis)(`redisStore, when connections fail silently${needsRedis}`, () => {
  const server = useServer(startRedis);

  for (const [name, connect] of withPeers(clients)) {
    const open = async () => {
      const proxy = await startProxy(server().port);
      return { proxy, ...(await counted(await connect(`redis://127.0.0.1:${proxy.port}`), 2)) };
    };

    it.each([
      ['a delivery every 5 ms', 5],
      ['a delivery now and then', 350],
    ])(`works on ${name} within two deadlines of its connection being half-open, under %s`, async (_, everyMs) => {
      const { proxy, ...opened } = await open();
      proxy.goHalfOpen();
      await recovers(opened, everyMs);
    });

    it(`makes the record that a half-open connection of ${name} lost`, async () => {
      const { proxy, store } = await open();
      const key = unique();
      const result = await once(store, key, async () => proxy.goHalfOpen()).catch((error) => error.code);
      expect(result).toBeOneOf(['handled', 'ERR_WEBHOOK_STORE']);
      await eventually(async () => expect(await once(store, key, failing)).toBe('duplicate'));
      expect(await once(redisStore({ client: await connect(server().url) }), key, failing)).toBe('duplicate');
      expect(store.unrecorded?.()).toEqual([]);
    });
  }

  for (const [name, connect] of withPeers(both)) {
    it.each(['hangs', 'is accepted and never answered'])(
      `fails without a run while a new connection of ${name} %s, and works again afterwards`,
      async (how) => {
        const proxy = await startProxy(server().port);
        const { store } = await counted(await connect(`redis://127.0.0.1:${proxy.port}`), 1);
        if (how === 'hangs') await proxy.hangConnects();
        else proxy.swallowNew();
        proxy.cutAnswer();
        let runs = 0;
        const key = unique();
        const end = performance.now() + timeoutMs;
        while (performance.now() < end) {
          await once(store, key, async () => void runs++).catch((error) => expect(error.message).toBeTypeOf('string'));
          await sleep(50);
        }
        expect(runs).toBe(0);
        await proxy.heal();
        expect(await untilHandled(store, 50, 3 * timeoutMs)).toBeLessThan(2 * timeoutMs);
      },
    );
  }
});

describe.skipIf(!hasRedis)(`redisStore on Redis Cluster, when connections go half-open${needsRedis}`, () => {
  const cluster = useServer(startRedisCluster);

  for (const [name, connect] of withPeers(clusters)) {
    it(`recovers on ${name} within two deadlines, with few waiting calls`, async () => {
      const proxies = await Promise.all(cluster().ports.map(startProxy));
      const ports = new Map(cluster().ports.map((port, at) => [`127.0.0.1:${port}`, proxies[at]?.port as number]));
      const opened = await counted(await connect(ports), 30);
      for (const proxy of proxies) proxy.goHalfOpen();
      await recovers(opened, 5);
      for (let key = 0; key < 30; key++) expect(await once(opened.store, unique(), nothing)).toBe('handled');
    }, 20_000);
  }
});
