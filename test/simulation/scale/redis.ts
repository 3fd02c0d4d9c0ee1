import { Connection } from '../kernel/connection.js';
import type { World } from '../kernel/world.js';
import { RedisServer } from '../models/redis/server.js';
import { RedisError } from '../models/redis/values.js';
import type { Subject } from '../subject/load.js';
import { Cores } from './busy.js';
import type { Costs } from './costs.js';
import type { Fleet } from './fleet.js';

/** Replicas with `redisStore` over one Redis, which runs commands on one core. */
export function redisFleet(subject: Subject, costs: Costs, leaseMs: number): Fleet<undefined> {
  let core: Cores | undefined;
  return {
    costs: costs.redis,
    busyMs: () => core?.workedMs ?? 0,
    storesOf(world: World) {
      const server = world.server('redis');
      const redis = new RedisServer(() => server.wall());
      const cpu = new Cores(world, 1);
      core = cpu;
      const { perCallMs, perKeyMs } = costs.redis.server;
      return (process) => {
        const connection = new Connection(process, server);
        // A claim and its record are one call each.
        const call = (command: string, ...args: string[]) =>
          new Promise<unknown>((resolve, reject) => {
            const cost = (perCallMs + perKeyMs * Number(args[1])) / 2;
            connection.send(() =>
              cpu.work(cost, () => {
                const reply = redis.command([command, ...args]);
                connection.answer(() => {
                  if (reply instanceof RedisError) reject(new Error(reply.message));
                  else resolve(reply);
                });
              }),
            );
          });
        const client = { call, options: { socketTimeout: 3000 } };
        return { store: subject.redisStore({ client, leaseMs }) };
      };
    },
  };
}
