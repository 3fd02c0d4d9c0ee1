const { hostname, port, username, password } = new URL(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');

/** How BullMQ finds its Redis. */
export const connection = { host: hostname, port: Number(port || 6379), username, password };
