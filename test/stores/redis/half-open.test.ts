import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { redisStore } from '../../../src/stores/redis/index.js';
import { eventually, failing, nothing, unique } from '../../contracts/store-helpers.js';
import { startHalfOpenProxy } from '../../servers/half-open-proxy.js';
import { hasRedis, needsRedis, startRedis } from '../../servers/redis.js';
import type { TestServer } from '../../servers/server.js';
import { once } from '../calls.js';
import { countingCalls, untilHandled } from '../counting-calls.js';
import { type Connect, connectIoRedis, connectNodeRedis, withPeers } from './clients.js';

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

describe.skipIf(!hasRedis)(`redisStore, when connections fail silently${needsRedis}`, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server?.stop());

  for (const [name, connect] of withPeers(clients)) {
    const open = async () => {
      const proxy = await startHalfOpenProxy(server.port);
      onTestFinished(() => proxy.stop());
      const { client, waiting } = countingCalls(await connect(`redis://127.0.0.1:${proxy.port}`));
      const store = redisStore({ client, timeoutMs });
      await once(store, unique(), nothing);
      await once(store, unique(), nothing);
      return { proxy, store, waiting };
    };

    it.each([
      ['a delivery every 5 ms', 5],
      ['a delivery now and then', 350],
    ])(`works on ${name} within two deadlines of its connection being half-open, under %s`, async (_, everyMs) => {
      const { proxy, store, waiting } = await open();
      proxy.goHalfOpen();
      expect(await untilHandled(store, everyMs, 3 * timeoutMs)).toBeLessThan(2 * timeoutMs);
      // At most what is sent within half a deadline.
      expect(waiting.most).toBeLessThan(timeoutMs / 2 / everyMs + 50);
      await eventually(async () => expect(waiting.now).toBe(0));
    });

    it(`makes the record that a half-open connection of ${name} lost`, async () => {
      const { proxy, store } = await open();
      const key = unique();
      const result = await once(store, key, async () => proxy.goHalfOpen()).catch((error) => error.code);
      expect(result).toBeOneOf(['handled', 'ERR_WEBHOOK_STORE']);
      await eventually(async () => expect(await once(store, key, failing)).toBe('duplicate'));
      expect(await once(redisStore({ client: await connect(server.url) }), key, failing)).toBe('duplicate');
      expect(store.unrecorded?.()).toEqual([]);
    });
  }

  for (const [name, connect] of withPeers(both)) {
    it.each(['hangs', 'is accepted and never answered'])(
      `fails without a run while a new connection of ${name} %s, and works again afterwards`,
      async (how) => {
        const proxy = await startHalfOpenProxy(server.port);
        onTestFinished(() => proxy.stop());
        const store = redisStore({ client: await connect(`redis://127.0.0.1:${proxy.port}`), timeoutMs });
        await once(store, unique(), nothing);
        if (how === 'hangs') await proxy.hangConnects();
        else proxy.swallowNew();
        proxy.cutAnswers(1);
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
