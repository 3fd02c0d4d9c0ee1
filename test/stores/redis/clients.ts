import { Redis } from 'ioredis';
import { createClient, RESP_TYPES } from 'redis';
import { onTestFinished } from 'vitest';
import type { RedisLike } from '../../../src/stores/redis/index.js';

/** A connected client of a test's own, closed when the test is over. */
export type Connect = (url: string, socketTimeout?: number) => Promise<RedisLike>;

export async function connectIoRedis(url: string, socketTimeout = 1000): Promise<Redis> {
  const client = new Redis(url, { socketTimeout, connectTimeout: 1000 });
  // What goes wrong on a connection is also told to whoever waits for a command.
  client.on('error', () => {});
  onTestFinished(() => client.disconnect());
  return client;
}

/** What a node-redis client needs to replace a dead connection. Without pings it would replace those that idle, too. */
export const nodeRedisOptions = (socketTimeout = 1000) => ({
  pingInterval: socketTimeout / 3,
  socket: { socketTimeout, connectTimeout: 1000, reconnectStrategy: (tries: number) => Math.min(50 * tries, 500) },
});

export async function connectNodeRedis(url: string, socketTimeout = 1000) {
  const client = createClient({ url, ...nodeRedisOptions(socketTimeout) });
  client.on('error', () => {});
  onTestFinished(() => client.destroy());
  return client.connect();
}

/** RESP3, and every text as a Buffer. */
async function connectNodeRedisWithBuffers(url: string): Promise<RedisLike> {
  const typeMapping = { [RESP_TYPES.BLOB_STRING]: Buffer, [RESP_TYPES.SIMPLE_STRING]: Buffer };
  const client = createClient({ url, RESP: 3, commandOptions: { typeMapping }, ...nodeRedisOptions() });
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
