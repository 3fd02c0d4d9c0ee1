import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { redisStore } from '../../../src/stores/redis/index.js';
import { eventually, failing, nothing, unique } from '../../contracts/store-helpers.js';
import { type FailingProxy, startProxy } from '../../servers/proxy.js';
import { hasRedis, needsRedis, startRedis } from '../../servers/redis.js';
import { useServer } from '../../servers/use-server.js';
import { once } from '../calls.js';
import { connectIoRedis, connectNodeRedis } from './clients.js';

describe.skipIf(!hasRedis)(`redisStore, when the answer to an executed command is lost${needsRedis}`, () => {
  const server = useServer(startRedis);
  let proxy: FailingProxy;
  const url = () => `redis://127.0.0.1:${proxy.port}`;
  let runs: number;
  const run = async () => void runs++;

  beforeEach(async () => {
    runs = 0;
    proxy = await startProxy(server().port);
  });
  afterEach(() => expect(proxy.hasCutAnswer()).toBe(true));

  it('claims its key if ioredis repeats the claim', async () => {
    const store = redisStore({ client: await connectIoRedis(url()) });
    await once(store, unique(), nothing);
    proxy.cutAnswer();
    expect(await once(store, unique(), run)).toBe('handled');
    expect(runs).toBe(1);
  });

  it('fails without a run if node-redis gives up the claim, and runs after the lease', async () => {
    const store = redisStore({ client: await connectNodeRedis(url()), leaseMs: 300 });
    const key = unique();
    await once(store, unique(), nothing);
    proxy.cutAnswer();
    await expect(once(store, key, run)).rejects.toThrow();
    expect(runs).toBe(0);
    await eventually(async () => expect(await once(store, key, run)).toBe('handled'));
    expect(runs).toBe(1);
  });

  it.each([
    ['ioredis', connectIoRedis],
    ['node-redis', connectNodeRedis],
  ])('knows its own completion when it completes again, on %s', async (_, connect) => {
    const store = redisStore({ client: await connect(url()) });
    const key = unique();
    const outcome = once(store, key, async () => {
      runs++;
      proxy.cutAnswer();
    });
    expect(await outcome).toBe('handled');
    expect(runs).toBe(1);
    expect(await once(store, key, failing)).toBe('duplicate');
  });

  it('releases once if ioredis repeats the release', async () => {
    const store = redisStore({ client: await connectIoRedis(url()) });
    const key = unique();
    const outcome = once(store, key, async () => {
      proxy.cutAnswer();
      throw new Error('the run failed');
    });
    await expect(outcome).rejects.toThrow('the run failed');
    expect(await once(store, key, run)).toBe('handled');
  });
});
