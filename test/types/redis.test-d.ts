import type { Redis as UpstashRedis } from '@upstash/redis';
import type { Redis as CloudflareRedis } from '@upstash/redis/cloudflare';
import type { Cluster, Redis } from 'ioredis';
import type { createClient, createClientPool, createCluster, createSentinel, RedisClientType } from 'redis';
import { assertType, describe, expectTypeOf, test } from 'vitest';
import {
  type IoRedisLike,
  type NodeRedisLike,
  type RedisLike,
  redisStore,
  type UpstashRedisLike,
} from '../../src/stores/redis/index.js';

declare const client: Redis;

describe('redisStore', () => {
  test('takes the clients of ioredis', () => {
    expectTypeOf<Redis>().toExtend<IoRedisLike>();
    expectTypeOf<Cluster>().toExtend<IoRedisLike>();
    expectTypeOf<Redis | Cluster>().toExtend<RedisLike>();
  });

  test('takes the clients of node-redis', () => {
    expectTypeOf<ReturnType<typeof createClient>>().toExtend<NodeRedisLike>();
    expectTypeOf<RedisClientType>().toExtend<NodeRedisLike>();
    expectTypeOf<ReturnType<typeof createClientPool>>().toExtend<NodeRedisLike>();
    expectTypeOf<ReturnType<typeof createCluster>>().toExtend<NodeRedisLike>();
    expectTypeOf<ReturnType<typeof createSentinel>>().toExtend<NodeRedisLike>();
  });

  test('takes the clients of Upstash, and does not take them for those of node-redis', () => {
    expectTypeOf<UpstashRedis>().toExtend<UpstashRedisLike>();
    expectTypeOf<CloudflareRedis>().toExtend<UpstashRedisLike>();
    expectTypeOf<UpstashRedis>().not.toExtend<NodeRedisLike>();
    expectTypeOf<ReturnType<typeof createClient>>().not.toExtend<UpstashRedisLike>();
  });

  test('takes nothing that is no client', () => {
    // @ts-expect-error the client is missing
    assertType(redisStore({ prefix: 'webhook:' }));
    // @ts-expect-error a URL is no client
    assertType(redisStore({ client: 'redis://localhost:6379' }));
    // @ts-expect-error a promise of a client: await it
    assertType(redisStore({ client: Promise.resolve(client) }));
    // @ts-expect-error a prefix is text
    assertType(redisStore({ client, prefix: 1 }));
  });
});
