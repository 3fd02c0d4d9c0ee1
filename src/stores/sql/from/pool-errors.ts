import { hasMethods } from '../../../internal/check-client.js';

interface Emitter {
  on(event: string, listener: (value: never) => void): unknown;
  listeners(event: string): unknown[];
}

const pools = new WeakSet<object>();

/**
 * Listens to the errors of each connection that a pool of an ORM gives out. A connection that breaks emits `error`, which
 * ends the process if nobody listens, and ORMs listen a promise turn too late. Statements and the pool still notice.
 */
export function ignoreConnectionErrors(pool: unknown): void {
  if (!hasMethods<Emitter>(pool, 'on') || pools.has(pool)) return;
  pools.add(pool);
  pool.on('acquire', (connection: Emitter) => {
    if (!connection.listeners('error').includes(ignore)) connection.on('error', ignore);
  });
}

export function ignore(): void {}
