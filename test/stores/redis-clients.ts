import { Redis } from 'ioredis';
import { createClient, RESP_TYPES } from 'redis';
import { onTestFinished } from 'vitest';
import type { RedisLike } from '../../src/stores/redis.js';

/** A connected client of a test's own, closed when the test is over. */
export type Connect = (url: string) => Promise<RedisLike>;

export async function connectIoRedis(url: string): Promise<Redis> {
  const client = new Redis(url);
  // What goes wrong on a connection is also told to whoever waits for a command.
  client.on('error', () => {});
  onTestFinished(() => client.disconnect());
  return client;
}

export async function connectNodeRedis(url: string) {
  const client = createClient({ url });
  client.on('error', () => {});
  onTestFinished(() => client.destroy());
  return client.connect();
}

/** RESP3, and every text as a Buffer. */
async function connectNodeRedisWithBuffers(url: string): Promise<RedisLike> {
  const typeMapping = { [RESP_TYPES.BLOB_STRING]: Buffer, [RESP_TYPES.SIMPLE_STRING]: Buffer };
  const client = createClient({ url, RESP: 3, commandOptions: { typeMapping } });
  client.on('error', () => {});
  onTestFinished(() => client.destroy());
  return client.connect();
}

/** A client with the one method of valkey-glide that the store uses. */
async function connectLikeGlide(url: string): Promise<RedisLike> {
  const client = await connectIoRedis(url);
  return { customCommand: ([command = '', ...args]) => client.call(command, ...args) };
}

/** The clients that a store is tried with, and has its server taken away with. */
export const clients: Record<string, Connect> = { ioredis: connectIoRedis, 'node-redis': connectNodeRedis };

/** The clients that a store is tried with as well. */
export const otherClients: Record<string, Connect> = {
  'node-redis with RESP3 and Buffers': connectNodeRedisWithBuffers,
  'what has the method of valkey-glide': connectLikeGlide,
};
