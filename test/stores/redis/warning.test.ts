import { Cluster, Redis } from 'ioredis';
import { createClient, createClientPool, createCluster } from 'redis';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type RedisLike, redisStore } from '../../../src/stores/redis/index.js';

const url = 'redis://user:hunter2@127.0.0.1:1';
const reconnectStrategy = () => 100;
const lazy = { lazyConnect: true };
const node = { host: '127.0.0.1', port: 1 };
const rootNodes = [{ url }];

let warn: ReturnType<typeof vi.spyOn>;
beforeEach(() => {
  warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
});
afterEach(() => vi.restoreAllMocks());

const silent: Record<string, () => unknown> = {
  'ioredis with socketTimeout': () => new Redis(url, { ...lazy, socketTimeout: 3000 }),
  'an ioredis Cluster with socketTimeout': () =>
    new Cluster([node], { ...lazy, redisOptions: { socketTimeout: 3000 } }),
  'node-redis with both': () => createClient({ url, socket: { socketTimeout: 3000, reconnectStrategy } }),
  'a node-redis cluster with both': () =>
    createCluster({ rootNodes, defaults: { socket: { socketTimeout: 3000, reconnectStrategy } } }),
  'a node-redis pool, whose options cannot be seen': () => createClientPool({ url }),
  'what has the method of valkey-glide': () => ({ customCommand: async () => 'OK', options: {} }),
  'a client whose options throw': () => ({
    get options() {
      throw new Error('not connected');
    },
    call: async () => 'OK',
  }),
  'a proxy that throws': () =>
    new Proxy(
      { call: async () => 'OK' },
      {
        get(target, property) {
          if (property === 'call') return target.call;
          throw new Error('no such property');
        },
      },
    ),
};

const warned: Record<string, { client: () => unknown; says: RegExp }> = {
  ioredis: { client: () => new Redis(url, lazy), says: /`socketTimeout: 3000`/ },
  'an ioredis Cluster': { client: () => new Cluster([node], lazy), says: /redisOptions/ },
  'node-redis': { client: () => createClient({ url }), says: /socketTimeout: 3000, reconnectStrategy/ },
  'node-redis with the first, which closes the client for good': {
    client: () => createClient({ url, socket: { socketTimeout: 3000 } }),
    says: /reconnectStrategy/,
  },
  'node-redis that shall not reconnect': {
    client: () => createClient({ url, socket: { socketTimeout: 3000, reconnectStrategy: false } }),
    says: /reconnectStrategy/,
  },
  'a node-redis cluster': { client: () => createCluster({ rootNodes }), says: /defaults/ },
};

describe('redisStore and dead connections', () => {
  it.each(Object.entries(silent))('does not warn about %s', (_, create) => {
    redisStore({ client: create() as RedisLike });
    expect(warn).not.toHaveBeenCalled();
  });

  it.each(Object.entries(warned))('warns about %s, once, without a secret', (_, { client: create, says }) => {
    const client = create() as RedisLike;
    redisStore({ client });
    redisStore({ client, prefix: 'other:' });
    expect(warn).toHaveBeenCalledTimes(1);
    const [message, options] = warn.mock.calls[0] as [string, unknown];
    expect(message).toMatch(says);
    expect(message).not.toContain('hunter2');
    expect(options).toEqual({ code: 'EVENT_WEBHOOK_REDIS_SOCKET_TIMEOUT' });
    redisStore({ client: create() as RedisLike });
    expect(warn).toHaveBeenCalledTimes(2);
  });

  it('warns on the console if there is no process, and never throws', () => {
    const log = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const [first, second] = [new Redis(url, lazy), new Redis(url, lazy)];
    vi.stubGlobal('process', undefined);
    try {
      redisStore({ client: first });
      expect(log).toHaveBeenCalledWith(expect.stringContaining('EVENT_WEBHOOK_REDIS_SOCKET_TIMEOUT'));
      log.mockImplementation(() => {
        throw new Error('no console');
      });
      redisStore({ client: second });
      expect(log).toHaveBeenCalledTimes(2);
    } finally {
      vi.unstubAllGlobals();
    }
  });
});
