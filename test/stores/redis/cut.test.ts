import { once } from 'node:events';
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { redisStore } from '../../../src/stores/redis/index.js';
import { eventually, failing, unique } from '../../contracts/store-helpers.js';
import { hasRedis, needsRedis, startRedis } from '../../servers/redis.js';
import type { TestServer } from '../../servers/server.js';
import { connectIoRedis, connectNodeRedis } from './clients.js';

/** A proxy that cuts the connection instead of passing on the answer to a command that contains the text. */
async function startCutter(port: number) {
  let word: string | undefined;
  let cuts = 0;
  const sockets = new Set<Socket>();
  const server: Server = createServer((client) => {
    const upstream = dial(port, '127.0.0.1');
    let cutting = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      // If one side ends, so does the other.
      socket
        .on('error', () => {})
        .on('close', () => {
          client.destroy();
          upstream.destroy();
          sockets.delete(socket);
        });
    }
    client.on('data', (chunk) => {
      if (word !== undefined && chunk.includes(word)) {
        word = undefined;
        cutting = true;
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (!cutting) return void client.write(chunk);
      cuts++;
      client.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It listens on no port.');
  return {
    url: `redis://127.0.0.1:${address.port}`,
    cutAt(text: string) {
      word = text;
    },
    cuts: () => cuts,
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

describe.skipIf(!hasRedis)(`redisStore, when the answer to an executed command is lost${needsRedis}`, () => {
  let server: TestServer;
  let cutter: Awaited<ReturnType<typeof startCutter>>;
  let runs: number;
  const run = async () => void runs++;

  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server?.stop());
  beforeEach(async () => {
    runs = 0;
    cutter = await startCutter(server.port);
  });
  afterEach(() => {
    expect(cutter.cuts()).toBe(1);
    cutter.stop();
  });

  it('claims its key if ioredis repeats the claim', async () => {
    const store = redisStore({ client: await connectIoRedis(cutter.url) });
    cutter.cutAt('webhook:');
    expect(await store.once(unique(), run)).toBe('handled');
    expect(runs).toBe(1);
  });

  it('fails without a run if node-redis gives up the claim, and runs after the lease', async () => {
    const store = redisStore({ client: await connectNodeRedis(cutter.url), leaseMs: 300 });
    const key = unique();
    cutter.cutAt('webhook:');
    await expect(store.once(key, run)).rejects.toThrow();
    expect(runs).toBe(0);
    await eventually(async () => expect(await store.once(key, run)).toBe('handled'));
    expect(runs).toBe(1);
  });

  it.each([
    ['ioredis', connectIoRedis],
    ['node-redis', connectNodeRedis],
  ])('knows its own completion when it completes again, on %s', async (_, connect) => {
    const store = redisStore({ client: await connect(cutter.url) });
    const key = unique();
    const outcome = store.once(key, async () => {
      runs++;
      cutter.cutAt('webhook:');
    });
    expect(await outcome).toBe('handled');
    expect(runs).toBe(1);
    expect(await store.once(key, failing)).toBe('duplicate');
  });

  it('releases once if ioredis repeats the release', async () => {
    const store = redisStore({ client: await connectIoRedis(cutter.url) });
    const key = unique();
    const outcome = store.once(key, async () => {
      cutter.cutAt('webhook:');
      throw new Error('the run failed');
    });
    await expect(outcome).rejects.toThrow('the run failed');
    expect(await store.once(key, run)).toBe('handled');
  });
});
