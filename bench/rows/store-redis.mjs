import { once } from 'node:events';
import { redisStore } from 'event-webhook-receiver/stores/redis';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { deliveryBenchmark, readByHand } from '../lib/deliveries.mjs';
import { noRedis, withRedis } from '../lib/servers.mjs';

const LEASE_MS = 60_000;
const RETENTION_MS = 7 * 86_400_000;

// The bare two commands are written as somebody would who knows the client: what takes the key and what keeps it.
const CLIENTS = {
  ioredis: async (port) => {
    const client = new Redis(port, '127.0.0.1', { socketTimeout: 3000 });
    await once(client, 'ready');
    return {
      client,
      take: (key) => client.set(key, 'held', 'PX', LEASE_MS, 'NX'),
      keep: (key) => client.set(key, 'done', 'PX', RETENTION_MS),
      close: () => client.disconnect(),
    };
  },
  'node-redis': async (port) => {
    const client = await createClient({
      url: `redis://127.0.0.1:${port}`,
      pingInterval: 1000,
      socket: { socketTimeout: 3000, reconnectStrategy: 100 },
    }).connect();
    const held = { condition: 'NX', expiration: { type: 'PX', value: LEASE_MS } };
    const done = { expiration: { type: 'PX', value: RETENTION_MS } };
    return {
      client,
      take: (key) => client.set(key, 'held', held),
      keep: (key) => client.set(key, 'done', done),
      close: () => client.destroy(),
    };
  },
};

/** A delivery by hand: what the driver sends in one go is one round trip to claim the keys and one to record them. */
const withStore = (kind) => (work) =>
  withRedis(async (port) => {
    const { client, take, keep, close } = await CLIENTS[kind](port);
    const store = redisStore({ client, leaseMs: LEASE_MS, retentionMs: RETENTION_MS });
    const rows = await work({
      onEvents: { store, onEvents: async () => {} },
      async byHand(delivery) {
        const keys = readByHand(delivery).map(({ id }) => `bare:${id}`);
        const taken = await Promise.all(keys.map(take));
        const fresh = keys.filter((_, index) => taken[index] === 'OK');
        const kept = await Promise.all(fresh.map(keep));
        return kept.length === keys.length && kept.every((answer) => answer === 'OK');
      },
    });
    close();
    return rows;
  });

export const benchmarks = Object.keys(CLIENTS).map((kind) =>
  deliveryBenchmark({
    name: `redisStore, ${kind}`,
    against: 'pipelined SET NX PX, then SET PX',
    skipped: noRedis,
    targets: { 1: 1.3, 10: 1.3, 100: 1.3 },
    withStore: withStore(kind),
  }),
);
