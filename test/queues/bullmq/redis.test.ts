import { Redis } from 'ioredis';
import { describe } from 'vitest';
import { hasRedis, needsRedis, startRedis } from '../../servers/redis.js';
import { engineContract } from '../contract.js';

/** Leaves room for some of a thousand events: a pipeline is not a transaction, so the first of them are stored. */
async function full(url: string) {
  const redis = new Redis(url);
  const [, used = '0'] = /used_memory:(\d+)/.exec(await redis.info('memory')) ?? [];
  await redis.config('SET', 'maxmemory', Number(used) + 1_000_000);
  return async () => {
    await redis.config('SET', 'maxmemory', 0);
    redis.disconnect();
  };
}

describe.skipIf(!hasRedis).each(['openBullmqRedis', 'openBullmqIoRedis'] as const)(
  `bullmqEnqueue and bullmqWorker on Redis (%s)${needsRedis}`,
  (name) => engineContract({ start: startRedis, name, deduplicates: true, full }),
);
