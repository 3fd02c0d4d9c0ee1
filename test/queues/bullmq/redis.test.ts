import { Redis } from 'ioredis';
import { describe } from 'vitest';
import { hasOtherPeers } from '../../peers/other-peers.js';
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

// BullMQ brings an ioredis, or takes connections of the user's, which may have another version.
const name = hasOtherPeers ? 'openBullmqIoRedis' : 'openBullmqRedis';

describe.skipIf(!hasRedis)(`bullmqEnqueue and bullmqWorker on Redis (${name})${needsRedis}`, () => {
  engineContract({ start: startRedis, name, deduplicates: true, full });
});
