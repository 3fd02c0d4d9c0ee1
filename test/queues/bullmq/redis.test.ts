import { Redis } from 'ioredis';
import { describe } from 'vitest';
import { enqueueContract } from '../../contracts/enqueue.js';
import { hasRedis, needsRedis, startRedis } from '../../servers/redis.js';
import { engines } from '../engines.js';

describe.skipIf(!hasRedis).each(['openBullmqRedis', 'openBullmqIoRedis'] as const)(
  `bullmqEnqueue and bullmqWorker on Redis (%s)${needsRedis}`,
  { timeout: 30_000 },
  (openName) => {
    enqueueContract({
      start: startRedis,
      open: engines[openName],
      openName,
      isAtomic: false,
      /** Leaves room for some of a thousand events: a pipeline is not a transaction, so the first of them are stored. */
      async refuseSome(url) {
        const redis = new Redis(url);
        const [, used = '0'] = /used_memory:(\d+)/.exec(await redis.info('memory')) ?? [];
        await redis.config('SET', 'maxmemory', Number(used) + 1_000_000);
        return async () => {
          await redis.config('SET', 'maxmemory', 0);
          redis.disconnect();
        };
      },
    });
  },
);
