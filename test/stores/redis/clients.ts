import { Redis } from 'ioredis';
import { createClient, RESP_TYPES } from 'redis';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { RedisLike } from '../../../src/stores/redis/index.js';
import { hasOtherPeers } from '../../peers/other-peers.js';
import { startRedis } from '../../servers/redis.js';
import { useServer } from '../../servers/use-server.js';

/** A Redis for the tests of a describe, and a connection beside the stores. */
export function useRedis() {
  const server = useServer(startRedis);
  let admin: Redis;
  beforeAll(() => {
    admin = new Redis(server().url).on('error', () => {});
  });
  afterAll(() => admin?.disconnect());
  return { server, admin: () => admin };
}

/** A connected client, closed after the test. */
export type Connect = (url: string, socketTimeout?: number) => Promise<RedisLike>;

export async function connectIoRedis(url: string, socketTimeout = 1000): Promise<Redis> {
  const client = new Redis(url, { socketTimeout, connectTimeout: 1000 });
  // A pending command gets the error of its connection too.
  client.on('error', () => {});
  onTestFinished(() => client.disconnect());
  return client;
}

/** Options with which node-redis replaces a dead connection. Without pings it would also replace idle ones. */
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

/** RESP3, with every string as a Buffer. */
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

/** Without those of which `npm run test:tier peers` has no other version. */
export const withPeers = <Client>(clients: Readonly<Record<string, Client>>): [name: string, client: Client][] =>
  Object.entries(clients).filter(([name]) => name.includes('ioredis') || !hasOtherPeers);

/** Clients that run the contract, and the contract of a failing server. */
export const clients: Record<string, Connect> = { ioredis: connectIoRedis, 'node-redis': connectNodeRedis };

/** Clients that run only the contract. */
export const otherClients: Record<string, Connect> = {
  'node-redis with RESP3 and Buffers': connectNodeRedisWithBuffers,
  'what has the method of valkey-glide': connectLikeGlide,
};
